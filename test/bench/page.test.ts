/** docs/performance.md is made of the runs that are kept, and of prose without a figure of its own. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkGoals, goalsTable } from '../../bench/report/goals.ts'
import { pageOf, readTemplate, shownRuns } from '../../bench/report/page.ts'
import { isOurs, type KeptResult, type Run, readRuns } from '../../bench/report/run.ts'
import { runTable } from '../../bench/report/run-table.ts'
import { madeOf, writeRuns } from '../../bench/report/write.ts'
import { root } from '../../scripts/run-command.ts'

const docs = join(root, 'docs')
const kept = readRuns(docs)

function runOf(name: string, results: readonly KeptResult[]): Run {
  const head = { name, command: 'npm run bench', takenAt: '2026-11-17', commit: 'abc', machine: 'a machine' }
  return { ...head, settings: { sqlite: 'wal' }, versions: { node: '24' }, results }
}

const swept = (value: number): KeptResult => ({ name: 'sweep', engine: 'sqlite', value, unit: 'ms' })

test.each([...madeOf(kept)])('docs/%s is what the kept runs give', (path, text) => {
  expect(readFileSync(join(docs, path), 'utf8')).toBe(text)
})

test('the prose has no measured figure', () => {
  expect(readTemplate().match(/\d\s?(?:ms|µs|s|MB|kB|%|x|\/s)(?![\w/])/g)).toBeNull()
})

test.each(kept)('$name is kept under its name, and says how it was taken', (run) => {
  expect(existsSync(join(docs, 'performance', `${run.name}.json`))).toBe(true)
  expect(run.command).toMatch(/^npm run bench/)
  expect(run.takenAt).toMatch(/^\d{4}-\d\d-\d\d/)
  expect(run.commit).toMatch(/^(?:before )?[0-9a-f]{7,}$/)
})

test('each run has a table, and a table without a run says so', () => {
  for (const { name } of kept.filter(isOurs)) expect(shownRuns()).toContain(name)
  expect(() => pageOf([runOf('loop-delay', [])])).toThrow('no table for the run "loop-delay"')
  expect(pageOf([], '{{table drain}}')).toBe('No run of `drain` is kept yet.')
  expect(() => pageOf([], '{{figure}}')).toThrow('{{figure}}')
})

test('a run that is taken again takes the place of the old one, and of no other, and the page follows', () => {
  const copy = mkdtempSync(join(tmpdir(), 'evertick-page-'))
  onTestFinished(() => rmSync(copy, { recursive: true }))
  cpSync(join(docs, 'performance'), join(copy, 'performance'), { recursive: true })
  const written = writeRuns(copy, [runOf('sweep', [swept(1234)])])
  expect(written).toContain('performance/sweep.json')
  const others = (runs: typeof kept) => runs.filter(({ name }) => name !== 'sweep')
  expect(others(readRuns(copy))).toEqual(others(kept))
  const page = readFileSync(join(copy, 'performance.md'), 'utf8')
  expect(page).toContain('| sweep | 1.23 s |')
  expect(page).toContain('**not reached**: 1.23 s')
})

test('a table has the engines side by side, the shares of one figure in one cell, and the rival in the ratio', () => {
  const of = (name: string, value: number | null, more: Partial<KeptResult> = {}) =>
    ({ name, engine: 'sqlite', value, unit: 'ms', ...more }) as KeptResult
  const results = [
    of('scan of 10000', 0.5, { against: 'raw', ratio: 0.69 }),
    of('scan of 10000 (raw)', 0.7),
    of('scan of 10000', 17_000, { engine: 'mysql' }),
    of('lock, p50', 5),
    of('lock, p99', 12.34),
    of('nodes', null, { against: '1 node', ratio: 1.1 }),
  ]
  expect(runTable({ name: 'some', results }).split('\n')).toEqual([
    '| `some` | SQLite | MariaDB |',
    '|---|---|---|',
    '| scan of 10,000, against raw | 0.5 ms, 0.69x | 17 s |',
    '| lock | p50 5 ms; p99 12.3 ms |  |',
    '| nodes, against 1 node | 1.1x |  |',
  ])
})

test('a goal goes by its worst figure on each engine', () => {
  const goals = goalsTable([runOf('sweep', [swept(9), swept(300), { ...swept(201), engine: 'postgres' }])])
  expect(goals).toContain('| sweep of 10,000 stale leases <= 300 ms | reached: 300 ms |  |')
  expect(goals).toContain('| sweep of 10,000 stale leases <= 200 ms |  | **not reached**: 201 ms |  |')
})

test('a goal of which no figure is kept is on the page as not measured', () => {
  expect(goalsTable([])).toContain('| audit of 10,000 jobs <= 2 s: not measured yet |  |')
  expect(goalsTable([])).toContain('| drain, of raw >= 0.75x |  | not measured yet |  |')
})

const sized = (name: string, value: number): KeptResult => ({ name, engine: 'postgres', value, unit: 'ms' })
const atSize = [
  sized('list of 10,000 jobs by status', 22),
  sized('timeline of 24 hours', 501),
  sized('pause of 10,000 jobs', 519),
  sized('resume of 10,000 jobs', 3_400),
  sized('audit of 10,000 jobs', 251),
]

test('a kept run at size has its table and its verdicts', () => {
  const page = pageOf([...kept.filter(({ name }) => name !== 'at-size'), runOf('at-size', atSize)])
  expect(page).toContain('| timeline of 24 hours | 501 ms |')
  expect(page).toContain('| timeline of 24 hours, 200,000 runs <= 500 ms |  | **not reached**: 501 ms |')
  expect(page).toContain('| pause or resume of 10,000 jobs <= 3 s |  | **not reached**: 3.4 s |')
  expect(page).toContain('| audit of 10,000 jobs <= 2 s |  | reached: 251 ms |')
})

test('a run is not kept without the figures that its goals name', () => {
  expect(() => checkGoals(runOf('at-size', atSize))).not.toThrow()
  const renamed = atSize.map((result) => ({ ...result, name: result.name.replace('audit', 'proof') }))
  expect(() => checkGoals(runOf('at-size', renamed))).toThrow('no figure for the goal "audit of 10,000 jobs"')
})
