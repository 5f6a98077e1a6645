/** Pauses: what becomes of the ticks under them. */
import { describe, expect, it } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { afterOutage, at, databaseFile, openNode, statesOf, tally } from './support.ts'

const idle = () => {}
const job = defineJob({
  name: 'job',
  schedule: { every: '10s' },
  catchUp: { policy: 'all', maxMissedRuns: 3 },
  run: idle,
})

describe('pause, then resume', () => {
  it.each([
    [undefined, { 'skipped: paused': 6, fired: 1 }],
    ['skip', { 'skipped: paused': 6, fired: 1 }],
    ['policy', { 'skipped: over_limit': 2, caught_up: 3, fired: 2 }],
    ['latest', { coalesced: 5, fired: 2 }],
    ['all', { 'skipped: over_limit': 2, caught_up: 3, fired: 2 }],
  ] as const)('with catch-up `%s`: every tick under the pause has its account', async (catchUp, expected) => {
    const node = await openNode({ jobs: [job] })
    await node.advance('5s')
    await node.evertick.jobs.pause('job', { reason: 'a look', actor: 'ops' })
    expect(await node.evertick.jobs.get('job')).toMatchObject({
      state: 'paused',
      pausedReason: 'a look',
      pausedBy: 'ops',
      nextRunAt: null,
    })
    await node.advance('60s')
    expect(await node.executions(job)).toEqual([])
    await node.evertick.jobs.resume('job', catchUp === undefined ? {} : { catchUp })
    await node.advance('8s')
    expect(tally(await node.ticks(job))).toEqual(expected)
    expect(await node.evertick.audit()).toMatchObject({ ok: true, ticks: 7 })
  })

  it('ends by itself at its end, and later ticks fire', async () => {
    const node = await openNode({ jobs: [job] })
    await node.evertick.jobs.pause('job', { until: '35s' })
    expect((await node.evertick.jobs.get('job')).pausedUntil).toEqual(at(35))
    await node.advance('62s')
    expect((await node.evertick.jobs.get('job')).state).toBe('active')
    expect(tally(await node.ticks(job))).toEqual({ 'skipped: paused': 3, fired: 3 })
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })

  it('a resume before its end ends it', async () => {
    const node = await openNode({ jobs: [job] })
    await node.evertick.jobs.pause('job', { until: at(3_600) })
    await node.advance('25s')
    await node.evertick.jobs.resume('job')
    await node.advance('20s')
    expect(tally(await node.ticks(job))).toEqual({ 'skipped: paused': 2, fired: 2 })
  })

  it('a resume after its end, with nobody there meanwhile, settles only what the pause covered', async () => {
    const { url } = databaseFile()
    const first = await openNode({ database: url, jobs: [job] })
    await first.evertick.jobs.pause('job', { until: at(35) })
    const operator = await afterOutage(first, '85s', { database: url, roles: ['worker'], jobs: [job] })
    await expect(operator.evertick.jobs.resume('job')).rejects.toMatchObject({ code: 'invalid_transition' })
    const node = await openNode({ database: url, clock: operator.clock, jobs: [job] })
    expect(tally(await node.ticks(job))).toEqual({
      'skipped: paused': 3,
      'skipped: over_limit': 1,
      caught_up: 3,
      fired: 1,
    })
  })

  it('what runs when the pause comes goes on', async () => {
    const long = defineJob({ name: 'long', schedule: { every: '10s' }, run: () => node.clock.sleep(5_000) })
    const node = await openNode({ jobs: [long] })
    await node.advance('12s')
    await node.evertick.jobs.pause('long')
    await node.advance('10s')
    expect(statesOf(await node.executions(long))).toEqual({ completed: 1 })
  })
})
