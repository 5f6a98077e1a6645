/** Keeps a comparison: the figures as JSON, and made of them the charts and the section of docs/performance.md. */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureNames } from '../contender.ts'
import { chartsOf } from './charts.ts'
import type { Comparison } from './comparison.ts'
import { sectionOf } from './section.ts'

export const marks = { begin: '<!-- peers:begin -->', end: '<!-- peers:end -->' } as const

/** What was measured before and not now stays: a measure may be taken again by itself. */
export function writeReport(docs: string, now: Comparison): string[] {
  const comparison = merged(readComparison(docs), now)
  mkdirSync(join(docs, 'performance'), { recursive: true })
  writeFileSync(join(docs, 'performance', 'peers.json'), `${JSON.stringify(comparison, null, 2)}\n`)
  for (const old of globSync('images/performance-*.svg', { cwd: docs })) rmSync(join(docs, old))
  mkdirSync(join(docs, 'images'), { recursive: true })
  const charts = chartsOf(comparison)
  for (const { name, svg } of charts) writeFileSync(join(docs, 'images', name), svg)
  const page = join(docs, 'performance.md')
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), sectionOf(comparison)))
  return ['performance/peers.json', 'performance.md', ...charts.map(({ name }) => `images/${name}`)]
}

export function readComparison(docs: string): Comparison {
  const path = join(docs, 'performance', 'peers.json')
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Comparison) : { taken: [] }
}

export function merged(before: Comparison, now: Comparison): Comparison {
  const taken = measureNames.flatMap((name) => {
    const found = [now, before].map((each) => each.taken.find(({ measure }) => measure === name))
    return found.find((each) => each !== undefined) ?? []
  })
  return { taken }
}

export function withSection(page: string, section: string): string {
  const from = page.indexOf(marks.begin)
  const to = page.indexOf(marks.end)
  if (from < 0 || to < from) throw new Error(`The page has no place for it: ${marks.begin} … ${marks.end}`)
  return `${page.slice(0, from + marks.begin.length)}\n${section}\n${page.slice(to)}`
}
