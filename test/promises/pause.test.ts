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

describe('a bulk', () => {
  it('pauses and resumes by the hundred, and tells of each job as a single action does', async () => {
    const node = await openNode({ jobs: [job] })
    const { jobs } = node.evertick
    const names = Array.from({ length: 620 }, (_, n) => `copy-${String(n).padStart(3, '0')}`)
    const copy = { handler: 'job', schedule: { every: '1h' }, tags: ['copy'] } as const
    await Promise.all(names.map((name) => jobs.create({ ...copy, name })))
    await jobs.pause('copy-007', { reason: 'before' })
    const heard: string[] = []
    node.evertick.on('job:paused', ({ job, reason }) => heard.push(`${job} paused: ${reason}`))
    node.evertick.on('job:resumed', ({ job }) => heard.push(`${job} resumed`))

    const told: number[] = []
    const onProgress = ({ done }: { done: number }) => told.push(done)
    const all = { tag: 'copy' }
    const paused = await jobs.bulk('pause', all, { reason: 'a move', actor: 'ops', onProgress })
    expect(paused).toEqual({ matched: 620, changed: 620, failed: [] })
    expect(told).toEqual(names.map((_, n) => n + 1))
    expect(heard).toEqual(names.map((name) => `${name} paused: a move`))
    expect(await jobs.bulk('pause', all)).toMatchObject({ changed: 0, failed: { length: 620 } })

    heard.length = 0
    await jobs.delete('copy-011')
    await jobs.resume('copy-012')
    expect(await jobs.bulk('resume', all, { actor: 'ops' })).toEqual({
      matched: 619,
      changed: 618,
      failed: [{ job: 'copy-012', message: 'Cannot resume job "copy-012": it is active already.' }],
    })
    expect(heard).toHaveLength(619)
    const { entries } = await node.evertick.auditLog.list({ actor: 'ops', action: 'job.pause', limit: 1_000 })
    expect(entries).toHaveLength(620)
  })
})
