/** The proof itself: take one row away, and `explain` and `audit` name exactly that tick. */
import { describe, expect, it } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { at, databaseFile, openNode, t0 } from './support.ts'

/** Two jobs with 30 ticks each, ten of one's under a pause. */
async function history() {
  const database = databaseFile()
  const jobs = ['job', 'other'].map((name) => defineJob({ name, schedule: { every: '10s' }, run: () => {} }))
  const node = await openNode({ database: database.url, jobs })
  await node.advance('102s')
  await node.evertick.jobs.pause('job')
  await node.advance('100s')
  await node.evertick.jobs.resume('job')
  await node.advance('100s')
  expect(await node.evertick.audit()).toMatchObject({ ok: true, ticks: 60, unaccounted: 0, doubled: 0 })
  return { node, database }
}

const jobId = `(SELECT id FROM evertick_jobs WHERE name = 'job')`
const whole = { from: at(0), to: at(300.001) }

describe('the check can fail', () => {
  it('an execution deleted behind its back is reported as that tick', async () => {
    const { node, database } = await history()
    database.sql(`DELETE FROM evertick_job_executions WHERE job_id = ${jobId} AND tick_at = ?`, t0 + 50_000)
    const explained = await node.evertick.jobs.explain('job', whole)
    expect(explained.unaccounted).toBe(1)
    expect(explained.ticks.filter(({ account }) => account === 'unaccounted')).toEqual([
      { scheduledFor: at(50), account: 'unaccounted' },
    ])
    const report = await node.evertick.audit()
    expect(report).toMatchObject({ ok: false, unaccounted: 1, doubled: 0 })
    expect(report.findings).toEqual([
      { job: 'job', kind: 'unaccounted', at: at(50), until: at(50), count: 1 },
    ])
    expect((await node.evertick.jobs.explain('other', whole)).unaccounted).toBe(0)
  })

  it('a range deleted behind its back is reported as its ticks', async () => {
    const { node, database } = await history()
    database.sql(`DELETE FROM evertick_tick_ranges WHERE job_id = ${jobId}`)
    const explained = await node.evertick.jobs.explain('job', whole)
    const missing = explained.ticks.filter(({ account }) => account === 'unaccounted')
    expect(missing.map(({ scheduledFor }) => scheduledFor)).toEqual(
      Array.from({ length: 10 }, (_, index) => at(110 + index * 10)),
    )
    expect(explained.unaccounted).toBe(10)
    expect((await node.evertick.audit()).findings).toEqual([
      { job: 'job', kind: 'unaccounted', at: at(110), until: at(200), count: 10 },
    ])
  })

  it('a range that counts one too few, one too many, or covers a tick that ran is reported', async () => {
    const { node, database } = await history()
    const audit = async () => {
      const { ok, unaccounted, doubled } = await node.evertick.audit()
      return { ok, unaccounted, doubled }
    }
    const set = (change: string) =>
      database.sql(`UPDATE evertick_tick_ranges SET ${change} WHERE job_id = ${jobId}`)
    set('count = count - 1')
    expect(await audit()).toEqual({ ok: false, unaccounted: 1, doubled: 0 })
    set('count = count + 2')
    expect(await audit()).toEqual({ ok: false, unaccounted: 0, doubled: 1 })
    set('count = count - 1')
    expect(await audit()).toEqual({ ok: true, unaccounted: 0, doubled: 0 })
    set('to_at = to_at + 10000, count = count + 1')
    expect(await audit()).toEqual({ ok: false, unaccounted: 0, doubled: 1 })
  })

  it('an execution for an instant that is no tick is reported', async () => {
    const { node, database } = await history()
    database.sql(
      `UPDATE evertick_job_executions SET tick_at = tick_at + 1 WHERE job_id = ${jobId} AND tick_at = ?`,
      t0 + 50_000,
    )
    expect(await node.evertick.audit()).toMatchObject({ ok: false, unaccounted: 1, doubled: 1 })
  })
})
