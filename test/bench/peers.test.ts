/** The comparison with other schedulers says what was measured, and nothing else. */
import { expect, test } from 'vitest'
import { barChart } from '../../bench/peers/report/bar-chart.ts'
import { type Comparison, comparisonOf, type Entry, type Taken } from '../../bench/peers/report/comparison.ts'
import { verdicts } from '../../bench/peers/report/goals.ts'
import { resultsOf } from '../../bench/peers/report/results.ts'
import { sectionOf } from '../../bench/peers/report/section.ts'
import { drainWay, tickWay } from '../../bench/peers/report/ways.ts'

function drained(who: string, library: string, store: Entry['store'], value: number | null): Entry {
  const about = {
    of: drainWay,
    unit: 'jobs/s',
    better: 'more',
    who,
    library,
    store,
    size: '10 jobs',
  } as const
  return { ...about, value, low: value, high: value }
}

function late(who: string, library: string, store: Entry['store'], share: 'p99' | 'max', ms: number): Entry {
  const about = {
    of: tickWay(10_000, share),
    unit: 'ms',
    better: 'less',
    who,
    library,
    store,
    size: '',
  } as const
  return { ...about, value: ms, low: ms, high: ms }
}

function taken(entries: readonly Entry[], name: Taken['name'] = 'peers-drain'): Comparison {
  const when = { command: 'npm run bench', takenAt: '2026-11-17T00:00:00.000Z', commit: 'abc' }
  const on = { ...when, machine: 'a machine', rounds: 3 }
  return {
    taken: [{ name, ...on, settings: { postgres: 'fsync=on' }, versions: { node: '24' }, entries }],
  }
}

const ours = drained('Evertick, PostgreSQL', 'evertick', 'postgres', 500)
const slow = drained('graphile-worker', 'graphile-worker', 'postgres', 100)
const fast = drained('graphile-worker, fast', 'graphile-worker', 'postgres', 500)
const raw = drained('raw PostgreSQL', 'raw', 'postgres', 1_000)

function verdictOn(entries: readonly Entry[], goal: string, against: string) {
  return verdicts(entries).find((each) => each.goal.startsWith(goal) && each.against.startsWith(against))
}

test("a goal is held against a peer's fastest configuration", () => {
  const verdict = verdictOn([ours, slow, fast], 'PostgreSQL: drain', 'graphile-worker')
  expect(verdict).toMatchObject({ against: 'graphile-worker, fast', ratio: 1, reached: false })
  expect(verdictOn([ours, slow], 'PostgreSQL: drain', 'graphile-worker')?.reached).toBe(true)
})

test('a goal without both figures is neither reached nor missed', () => {
  expect(verdictOn([ours], 'PostgreSQL: drain', 'graphile-worker')?.reached).toBeNull()
})

test('the p99 of our ticks is held against the latest of croner', () => {
  const own = late('Evertick, SQLite', 'evertick', 'sqlite', 'p99', 26)
  const theirs = late('croner, in process', 'croner', 'none', 'max', 1_000)
  expect(verdictOn([own, theirs], 'SQLite: 10,000 ticks', 'croner')).toMatchObject({ reached: false })
  const sooner = { ...own, value: 25 }
  expect(verdictOn([sooner, theirs], 'SQLite: 10,000 ticks', 'croner')).toMatchObject({ reached: true })
})

test('results hold ours against each peer, and against the raw limit of the same store only', () => {
  const other = drained('raw SQLite', 'raw', 'sqlite', 9_000)
  const found = resultsOf(taken([ours, fast, raw, other])).filter(({ ratio }) => ratio !== undefined)
  expect(found.map(({ engine, against, ratio }) => ({ engine, against, ratio }))).toEqual([
    { engine: 'postgres', against: 'graphile-worker, fast, 10 jobs', ratio: 1 },
    { engine: 'postgres', against: 'raw PostgreSQL, 10 jobs', ratio: 0.5 },
  ])
})

test('the section says where a peer is ahead, and what became of one that failed', () => {
  const ahead = drained('BullMQ, Redis', 'bullmq', 'redis', 1_500)
  const failed = { ...drained('Agenda', 'agenda', 'postgres', null), note: 'failed: no answer' }
  const section = sectionOf(taken([ours, ahead, failed, raw]))
  expect(section).toContain('ours on PostgreSQL: BullMQ, Redis (3x).')
  expect(section).toContain('| Agenda | 10 jobs |  |  |  | failed: no answer |')
  expect(sectionOf(taken([ours, slow, raw]))).toContain('Nowhere in this run.')
})

test('the measures of a comparison come in one order, whatever order they are kept in', () => {
  const kept = [...taken([slow], 'peers-drain').taken, ...taken([raw], 'peers-enqueue').taken]
  expect(comparisonOf(kept).taken.map(({ name }) => name)).toEqual(['peers-enqueue', 'peers-drain'])
})

test('a chart tells its scale, draws longer bars for more, and escapes what it is given', () => {
  const bar = (label: string, value: number) => ({
    label,
    value,
    low: value,
    high: value,
    kind: 'peer' as const,
  })
  const chart = (...values: number[]) => {
    const bars = values.map((value) => bar(`<${value}>`, value))
    return barChart({ title: 'a & b', unit: 'jobs/s', better: 'more', bars, figure: String })
  }
  const widths = (svg: string) =>
    [...svg.matchAll(/class="bar"[^>]*width="([\d.]+)"/g)].map((hit) => Number(hit[1]))
  const near = chart(100, 50)
  expect(near).toContain('linear scale')
  expect(near).toContain('<title id="title">a &amp; b</title>')
  expect(near).toContain('&lt;100&gt;: 100 jobs/s; &lt;50&gt;: 50 jobs/s')
  expect(widths(near)[0]).toBe((widths(near)[1] ?? 0) * 2)
  const far = chart(10_000, 1)
  expect(far).toContain('logarithmic scale')
  expect(widths(far)[1]).toBeGreaterThan(10)
})
