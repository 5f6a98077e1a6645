/** The reference pages say what the code does: each table is compared with the table in the code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { generatedOptions } from '../../scripts/generate-options.ts'
import { root } from '../../scripts/run-command.ts'
import { errorKinds } from '../../src/core/error.ts'
import { cancelReasons } from '../../src/core/execution/execution.ts'
import { executionStates, executionTransitions, isFinal } from '../../src/core/execution/execution-state.ts'
import { jobActions, jobStates, jobTransitions } from '../../src/core/job/job-state.ts'
import { accounts, reasonSentences, skipReasons } from '../../src/core/tick/account.ts'
import { defineConfig, Evertick, EvertickError } from '../../src/index.ts'
import { loadMigrations } from '../../src/store/migrate.ts'
import { type DeclaredOption, declaredOptions } from './declared-options.ts'
import { edgesAfter, readPage, tableAfter } from './markdown.ts'

const column = (rows: readonly string[][], index: number) => rows.map((row) => row[index] ?? '')
const sorted = (names: Iterable<string>) => [...names].toSorted()

test('errors.md lists every code with its kind', () => {
  const rows = tableAfter(readPage('docs/reference/errors.md'), '## Codes')
  expect(Object.fromEntries(rows.map(([code = '', kind]) => [code, kind]))).toEqual(errorKinds)
  expect(column(rows, 2)).not.toContain('')
})

function optionRows(heading: string): DeclaredOption[] {
  const rows = tableAfter(readPage('docs/reference/options.md'), heading)
  return rows.map(([name = '', , stated = '']) => ({ name, default: stated === '' ? null : stated }))
}

/** Prose for what a comment leaves open; everything else is compared word by word. */
function comparable({ name, default: stated }: DeclaredOption): string {
  const vague = stated === null || stated === 'none' || stated === 'required'
  return vague ? name : `${name} = ${stated}`
}

test('options.md lists every option of Evertick.open with its default', () => {
  const declared = declaredOptions('src/app/config/options.ts', 'EvertickOptions')
  expect(sorted(optionRows('## Evertick.open').map(comparable))).toEqual(sorted(declared.map(comparable)))
})

test('what is declared for Evertick.open is what is accepted', () => {
  const declared = declaredOptions('src/app/config/options.ts', 'EvertickOptions').map(({ name }) => name)
  expect(sorted(declared.filter((name) => !name.includes('.')))).toEqual(sorted(acceptedByOpen()))
})

/** Options of options: `open` names them, too, where it refuses one. */
const inner = [
  'lease',
  'heartbeat',
  'grace',
  'concurrency',
  'max',
  'direct',
  'transactionTimeout',
  'extendAt',
  'poll',
  'sweep',
  'retention',
]

/** The schema's own names, from the error about a name that is like none of them. */
function acceptedByOpen(): string[] {
  try {
    defineConfig({ qqqqqqqqqqqqqqqq: 1 } as object)
  } catch (error) {
    if (!(error instanceof EvertickError)) throw error
    const known = /^Known options: (.*)\.$/.exec(error.next ?? '')?.[1]?.split(', ') ?? []
    return known.filter((name) => !inner.includes(name))
  }
  throw new Error('An unknown option was accepted.')
}

test.each([...generatedOptions()])('%s has the options of a job as they are defined', (file, text) => {
  // Where it has not: npm run generate
  expect(readPage(file)).toBe(text)
})

test('options.md lists every option of enqueue with its default', () => {
  const declared = declaredOptions('src/engine/worker/handler.ts', 'EnqueueOptions')
  expect(sorted(optionRows('## Enqueue options').map(comparable))).toEqual(sorted(declared.map(comparable)))
})

test('options.md lists every option of the API with its default', () => {
  const declared = declaredOptions('src/app/config/api-config.ts', 'ApiOptions')
  expect(sorted(optionRows('### api').map(({ name }) => name))).toEqual(
    sorted(declared.map(({ name }) => name)),
  )
})

test('events.md lists every event with its fields', () => {
  const source = readFileSync(join(root, 'src/engine/events.ts'), 'utf8')
  const body = /export interface EventMap \{\n([\s\S]*?)^\}/m.exec(source)?.[1] ?? ''
  const events = [...body.matchAll(/^ {2}'([\w:]+)': ([\s\S]*?)(?=^ {2}'|$(?![\s\S]))/gm)].map(
    ([, name = '', type = '']) => [
      name,
      [...type.matchAll(/readonly (\w+):/g)].map((hit) => hit[1]).join(', '),
    ],
  )
  const rows = readPage('docs/reference/events.md')
    .split('\n')
    .filter((line) => /^\| `\w+:/.test(line))
    .map((line) =>
      line
        .replaceAll('`', '')
        .split('|')
        .slice(1, 3)
        .map((cell) => cell.trim()),
    )
  expect(events.length).toBeGreaterThan(15)
  expect(rows).toEqual(events)
})

test('states.md draws the transitions of an execution', () => {
  const edges = edgesAfter(readPage('docs/reference/states.md'), '## Execution')
  const drawn = edges.filter(({ from }) => from !== '[*]').map(({ from, to }) => `${from} -> ${to}`)
  const legal = executionStates.flatMap((state) =>
    isFinal(state) ? [`${state} -> [*]`] : executionTransitions[state].map((to) => `${state} -> ${to}`),
  )
  expect(sorted(drawn)).toEqual(sorted(legal))
  const rows = tableAfter(readPage('docs/reference/states.md'), '## Execution')
  expect(column(rows, 0)).toEqual([...executionStates])
})

test('states.md draws the transitions of a job', () => {
  const page = readPage('docs/reference/states.md')
  const drawn = edgesAfter(page, '## Job').filter(({ from }) => from !== '[*]')
  const legal = jobStates.flatMap((from) =>
    jobActions.flatMap((action) => {
      const to = jobTransitions[from][action]
      return to === null || to === from ? [] : [`${from} -> ${to}: ${action}`]
    }),
  )
  expect(sorted(drawn.map(({ from, to, label }) => `${from} -> ${to}: ${label}`))).toEqual(sorted(legal))
  expect(column(tableAfter(page, '## Job'), 0)).toEqual([...jobStates])
})

test('states.md tables every action in every state', () => {
  const rows = tableAfter(readPage('docs/reference/states.md'), '## Job actions')
  const expected = jobStates.map((state) => [
    state,
    ...jobActions.map((action) => jobTransitions[state][action] ?? '-'),
  ])
  expect(rows).toEqual(expected)
})

test('states.md names every account, skip and cancel', () => {
  const page = readPage('docs/reference/states.md')
  expect(column(tableAfter(page, '## Accounts of ticks'), 0)).toEqual([...accounts])
  const skips = tableAfter(page, '## Reasons of a skip')
  expect(skips).toEqual(skipReasons.map((reason) => [reason, reasonSentences[reason]]))
  expect(Object.keys(cancelReasons).filter((reason) => !page.includes(`\`${reason}\``))).toEqual([])
})

test('tables.md lists every table and view with its columns', () => {
  const page = readPage('docs/reference/tables.md')
  const database = new DatabaseSync(':memory:')
  for (const { up } of loadMigrations('sqlite')) database.exec(up)
  const names = database.prepare(`SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')`).all()
  const schema = names.map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'))
  const headings = [...page.matchAll(/^### (\w+)$/gm)].map((hit) => hit[1] ?? '')
  // The list of applied migrations is made by the migrator, not by a migration.
  expect(sorted(headings)).toEqual(sorted([...schema, 'evertick_migrations']))
  for (const name of schema) {
    const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all(name)
    expect(column(tableAfter(page, `### ${name}`), 0)).toEqual(columns.map((found) => String(found['name'])))
  }
  database.close()
})

test('library.md lists every member of the instance', async () => {
  const evertick = await Evertick.open({ database: 'sqlite::memory:' })
  const rows = tableAfter(readPage('docs/reference/library.md'), '## The instance')
  const documented = rows.map(([member = '']) => /^[\w.]+/.exec(member)?.[0] ?? member)
  expect(sorted(documented)).toEqual(sorted(membersOf(evertick)))
  await evertick.stop()
})

/** Its own members and those of its parts (`jobs`, `locks`, …), private and symbol-named ones apart. */
function membersOf(evertick: Evertick): string[] {
  const methods = (value: object): string[] => {
    const prototype = Object.getPrototypeOf(value) as object
    if (prototype === Object.prototype) return []
    const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor')
    return [...own, ...methods(prototype)]
  }
  const parts: [string, unknown][] = Object.entries(evertick)
  return [
    ...methods(evertick),
    ...parts.flatMap(([name, part]) =>
      typeof part === 'object' && part !== null ? methods(part).map((own) => `${name}.${own}`) : [name],
    ),
  ]
}
