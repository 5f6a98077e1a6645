/** A batch holds no more jobs than it will account for: what is behind them stays free for others. */
import { expect, test } from 'vitest'
import type { Row } from '../../src/store/sql/runtime/script.ts'
import { isInsert } from '../../src/store/sql/runtime/script.ts'
import { jobsOfBatch } from '../../src/store/sql/ticks/due-batch.ts'
import { every, jobSpec, t0 } from './builders.ts'

const hour = 3_600_000
const spec = jobSpec({ schedule: every(1_000), catchUp: { policy: 'all', maxMissedRuns: 100 } })

/** Ids of the batch, and how many jobs each look was at. */
function batchOf(lateMs: number, catchUpSpec = spec) {
  const now = t0 + hour
  const jobs = Array.from({ length: 300 }, (_, n) => ({
    id: `job-${n}`,
    version: 1,
    nextDueAt: now - lateMs,
  }))
  const script = jobsOfBatch({ jobs, now, maxExecutions: 1_000 })
  const looks: number[] = []
  let step = script.next()
  while (!step.done) {
    if (isInsert(step.value)) throw new Error('a look writes')
    const ids = step.value.params[0] as readonly string[]
    looks.push(ids.length)
    const found: Row[] = ids.map((id) => ({
      id,
      name: id,
      spec: JSON.stringify(catchUpSpec),
      accounted_until: now - lateMs,
      open_tick_at: null,
    }))
    step = script.next(found as Row[] & number)
  }
  return { size: step.value.length, looks }
}

test('as many late jobs as fill it', () => {
  expect(batchOf(hour)).toEqual({ size: 10, looks: [4, 16] })
})

test('all of them where each makes a single run', () => {
  const latest = jobSpec({ schedule: every(1_000), catchUp: { policy: 'latest' } })
  expect(batchOf(hour, latest).size).toBe(300)
})

test('jobs on time cost no look', () => {
  expect(batchOf(1_000)).toEqual({ size: 300, looks: [] })
})

test('a schedule that can no longer be read stops nobody', () => {
  const schedule = { kind: 'cron', cron: '* * * * *', timezone: 'Nowhere/Else' } as const
  const broken = jobSpec({ schedule, catchUp: { policy: 'all', maxMissedRuns: 100 } })
  expect(batchOf(hour, broken).size).toBe(300)
})
