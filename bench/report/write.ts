/**
 * Keeps runs, each in its file, and makes of all that are kept the page and its charts. As a program (npm run generate) it
 * only makes those.
 */
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/run-command.ts'
import { chartsOf } from '../peers/report/charts.ts'
import { comparisonOf } from '../peers/report/comparison.ts'
import { checkGoals } from './goals.ts'
import { pageOf } from './page.ts'
import { type AnyRun, isOurs, readRuns } from './run.ts'

/** A run that is taken again takes the place of the old one; all others stay. */
export function writeRuns(docs: string, runs: readonly AnyRun[]): string[] {
  for (const run of runs.filter(isOurs)) checkGoals(run)
  const files = new Map(
    runs.map((run) => [`performance/${run.name}.json`, `${JSON.stringify(run, null, 2)}\n`]),
  )
  writeAll(docs, files)
  const made = madeOf(readRuns(docs))
  for (const old of globSync('images/performance-*.svg', { cwd: docs })) rmSync(join(docs, old))
  writeAll(docs, made)
  return [...files.keys(), ...made.keys()]
}

/** The page and its charts, by their paths in docs. */
export function madeOf(runs: readonly AnyRun[]): ReadonlyMap<string, string> {
  const charts = chartsOf(comparisonOf(runs)).map(({ name, svg }) => [`images/${name}`, svg] as const)
  return new Map([['performance.md', pageOf(runs)], ...charts])
}

function writeAll(docs: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(join(docs, path, '..'), { recursive: true })
    writeFileSync(join(docs, path), text)
  }
}

if (import.meta.main) writeRuns(join(root, 'docs'), [])
