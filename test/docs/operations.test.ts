/** The pages for operators say what the code does, where that can be compared. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { root } from '../../scripts/run-command.ts'
import { checkNames } from '../../src/cli/commands/doctor/check.ts'
import { createProgram } from '../../src/cli/program.ts'
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

/** What a page calls `evertick` with. */
function calls(text: string): string[][] {
  const shell = [...text.matchAll(/^```(?:sh|console)\n([\s\S]*?)^```$/gm)].flatMap(([, code = '']) =>
    code.split('\n'),
  )
  const inline = [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, code = '']) => code,
  )
  return [...shell, ...inline]
    .flatMap((line) => line.replace(/ #.*$/, '').split(/&&|\|/))
    .flatMap((part) => called.exec(part.trim())?.groups?.['call'] ?? [])
    .map((call) => call.split(/[\s;>]+/))
}

/** By itself, with variables in front, or in a container. */
const called =
  /^(?:\$ )?(?:\w+=\S+ )*(?:(?:npx|docker exec \S+|docker compose exec \S+|kubectl exec \S+ --) )?evertick (?<call>[a-z-].*)$/

/** The words that are neither a command nor an option of it. */
function unknownIn(words: readonly string[], program: Command): string[] {
  let command = program
  for (const [at, word] of words.entries()) {
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word))
    if (next === undefined && command.commands.length > 0) return [words.slice(0, at + 1).join(' ')]
    if (next === undefined) break
    command = next
  }
  const known = [...command.options, ...program.options].flatMap(({ long, short }) => [long, short])
  return words.filter((word) => /^--?[a-z]/.test(word) && !known.includes(word))
}

test('every command that a page of operations prints is one, with its options', () => {
  const program = createProgram({ env: {}, cwd: root, exitCode: 0 } as never)
  const names = pages().filter((path) => path.startsWith('docs/operations/'))
  const printed = names.flatMap((path) => calls(readPage(path)).map((words) => ({ path, words })))
  expect(printed.length).toBeGreaterThan(80)
  const unknown = printed.map(({ path, words }) => [path, ...unknownIn(words, program)])
  expect(unknown.filter((found) => found.length > 1)).toEqual([])
})
