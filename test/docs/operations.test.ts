/** The pages for operators say what the code does, where that can be compared. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/run-command.ts'
import { checkNames } from '../../src/cli/commands/doctor/check.ts'
import { poolSizes } from '../../src/store/store-url.ts'
import { pages, readPage, tableAfter } from './markdown.ts'

const page = (name: string) => readPage(`docs/operations/${name}.md`)

test('the index lists every page of operations', () => {
  const names = pages().filter((path) => path.startsWith('docs/operations/') && !path.endsWith('README.md'))
  expect(names.length).toBeGreaterThan(7)
  expect(
    names.filter((path) => !page('README').includes(`](${path.slice('docs/operations/'.length)})`)),
  ).toEqual([])
})

test('postgresql.md shares the connections out as a node does', () => {
  const rows = tableAfter(page('postgresql'), '## Connections').map((row) => row.map(Number))
  expect(rows.length).toBeGreaterThan(3)
  expect(rows).toEqual(
    rows.map(([max = 0]) => {
      const { pulse, work, handlers } = poolSizes(max)
      return [max, pulse, work, handlers]
    }),
  )
})

test('postgresql.md names what the migration sets for vacuum', () => {
  const migration = readFileSync(join(root, 'src/store/migrations/0001_init/postgres.up.sql'), 'utf8')
  const settings = [...migration.matchAll(/^ {2}((?:fillfactor|autovacuum)\w*) = ([\d.]+)/gm)]
  const written = tableAfter(page('postgresql'), '## Vacuum').flatMap(([names = '', values = '']) => {
    const [first = '', ...others] = names.split(', ')
    const [value = '', ...more] = values.split(', ')
    const full = others.map((name) => name.replace(/^_/, 'autovacuum_vacuum_'))
    return [[first, value], ...full.map((name, index) => [name, more[index]])]
  })
  expect(written).toEqual(settings.map(([, name, value]) => [name, value]))
})

test('production-checklist.md has a line for each check of the doctor, in its order, and not one more', () => {
  const headings = [...page('production-checklist').matchAll(/^## (?:This|The) .*$/gm)].map(
    ([heading]) => heading,
  )
  const lines = headings.flatMap((heading) => tableAfter(page('production-checklist'), heading))
  expect(lines.map(([name]) => name)).toEqual(checkNames)
  expect(lines.filter((cells) => cells.some((cell) => cell === ''))).toEqual([])
})
