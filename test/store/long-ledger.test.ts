/**
 * The ledger of a job that runs every second, for as many days as EVERTICK_LEDGER_DAYS says (the campaign: 400): how large
 * it gets, and that it is still explained tick by tick. Its executions are written behind the store's back, an hour at a
 * time, and folded by the store.
 */
import { expect, test } from 'vitest'
import { countOf } from '../../src/core/tick/ledger-row.ts'
import { packedCounts } from '../../src/core/tick/packed-runs.ts'
import { day, every, hour, idOf, jobSpec, second, t0 } from './builders.ts'
import { type Bench, withStore } from './conformance/store-under-test.ts'
import { openMemory } from './sqlite-store.ts'

const days = Number(process.env['EVERTICK_LEDGER_DAYS'] ?? 1)
const hours = days * 24
const perHour = 3_600

/** How the nth tick ended. */
type Ends = (tick: number) => 'completed' | 'failed'

const hourText = `WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < ${perHour - 1}),
    ticks(n, at) AS (SELECT ? + n, ? + n * 1000 FROM n)
  INSERT INTO @job_executions (id, job_id, cause, tick_at, account, scheduled_for, state, ready_at, queue, priority,
    handler, max_attempts, created_at, finished_at)
  SELECT 'e' || n, '${idOf('job-a')}', 'schedule', at, 'fired', at, CASE WHEN FAILS THEN 'failed' ELSE 'completed' END, at,
    'default', 0, 'work', 1, at, at FROM ticks`

/** `fails` is SQL over n, the number of the tick. */
async function live({ hand, store, sql }: Bench, fails: string): Promise<void> {
  await hand.create('a', jobSpec({ schedule: every(second), retention: { executions: 1, ageMs: 0 } }), t0 - 1)
  for (let n = 0; n < hours; n += 1) {
    const from = t0 + n * hour
    await sql(hourText.replace('FAILS', fails), n * perHour, from)
    await sql('UPDATE @jobs SET accounted_until = ?', from + hour)
    const { executions } = await store.ticks.purgeHistory({
      afterJobId: null,
      jobs: 10,
      now: from + hour + 1,
    })
    expect(executions).toBe(n === 0 ? perHour - 1 : perHour)
  }
}

/** Without the rest of the schema: what the pages of the ledger take, its indexes included. */
async function bytes({ sql }: Bench): Promise<number> {
  await sql('DELETE FROM @job_executions')
  const size = async () => {
    await sql('VACUUM')
    const [pages] = await sql('PRAGMA page_count')
    return Number(pages?.['page_count']) * 4_096
  }
  const full = await size()
  await sql('DELETE FROM @tick_ranges')
  return full - (await size())
}

async function checkHour({ store }: Bench, n: number, ends: Ends): Promise<void> {
  const from = t0 + n * hour
  const { ticks } = await store.ticks.explainSpan('a', from, from + hour, perHour, t0 + days * day)
  expect(ticks).toHaveLength(perHour)
  const wrong = ticks.filter(
    ({ tickAt, verdict, state }, index) =>
      tickAt !== from + index * second || verdict !== 'fired' || state !== ends(n * perHour + index),
  )
  expect(wrong).toEqual([])
}

const limit = days * 20_000 + 60_000

/** One failure in thirty days. */
const [everyTicks, firstTick] = [30 * 86_400, 1_000_000]

test(
  'that mostly succeeds is a row for each month, and three where there was a failure',
  withStore(openMemory, async (bench) => {
    await live(bench, `n % ${everyTicks} = ${firstTick}`)
    await checkHour(bench, Math.floor(hours / 2), (tick) =>
      tick % everyTicks === firstTick ? 'failed' : 'completed',
    )
    const months = new Set(
      Array.from({ length: hours }, (_, n) => new Date(t0 + n * hour).toISOString().slice(0, 7)),
    )
    const failures = Math.ceil(Math.max(0, days * 86_400 - firstTick) / everyTicks)
    const [rows] = await bench.sql('SELECT count(*) AS n, sum(count) AS ticks FROM @tick_ranges')
    expect(rows).toEqual({ n: months.size + 2 * failures, ticks: days * 86_400 - 1 })
    process.stdout.write(`the ledger of ${days} days of success: ${rows?.['n']} rows\n`)
  }),
  limit,
)

test(
  'that succeeds and fails in turn stays below 25 KB a day, and 10 MB in 400 days',
  withStore(openMemory, async (bench) => {
    await live(bench, 'n % 2 = 1')
    const alternating: Ends = (tick) => (tick % 2 === 1 ? 'failed' : 'completed')
    for (const n of [0, Math.floor(hours / 3), hours - 1]) await checkHour(bench, n, alternating)
    const report = await bench.store.ticks.auditLedger({})
    expect(report).toMatchObject({ ticks: days * 86_400, unaccounted: 0, doubled: 0 })
    const packed = await bench.sql('SELECT packed FROM @tick_ranges WHERE packed IS NOT NULL')
    const counted = packed.reduce(
      (sum, row) => sum + countOf({ runs: packedCounts(String(row['packed'])) }),
      0,
    )
    expect(counted).toBe(days * 86_400 - 1)
    const size = await bytes(bench)
    process.stdout.write(`the ledger of ${days} alternating days: ${report.ranges} rows, ${size} bytes\n`)
    expect(size / days).toBeLessThan(25_000)
  }),
  limit,
)
