/** How a job does is not what its schedule says; and what does not run says why. */
import { describe, expect, it } from 'vitest'
import { waitReasons } from '../../src/core/execution/waits.ts'
import { healthStates } from '../../src/core/job/health.ts'
import { defineJob } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'
import { readPage, tableAfter } from '../docs/markdown.ts'
import { databaseFile, lasting, openNode, pass, SharedClock, t0 } from './support.ts'

const broken = () => {
  throw new Error('broken')
}

describe('three failures in a row while the fourth retries', () => {
  it('stay failing until a final success, in the job, the search and the overview', async () => {
    let works = false
    const job = defineJob({
      name: 'job',
      schedule: { every: '1m' },
      retry: { attempts: 2, base: '1s' },
      run: () => (works ? 'done' : broken()),
    })
    const node = await openNode({ jobs: [job] })
    const { jobs, reports } = node.evertick
    expect((await jobs.get('job')).health.state).toBe('never_ran')
    await node.advance('3m30s')
    const failing = { state: 'failing', failures: 3, sentence: 'Its last 3 runs failed.' }
    expect((await jobs.get('job')).health).toMatchObject(failing)
    await node.advance('30500ms')
    // The first attempt of the fourth has failed, and its second is to come.
    expect(await jobs.get('job')).toMatchObject({ health: failing, lastExecution: { state: 'retrying' } })
    expect((await jobs.list({ filter: 'health:failing' })).jobs).toMatchObject([{ name: 'job' }])
    expect((await reports.overview()).health).toMatchObject({ level: 'failing', failing: 1 })
    works = true
    await node.advance('5s')
    expect((await jobs.get('job')).health).toEqual({ state: 'ok', sentence: 'Its last run succeeded.' })
    expect((await jobs.list({ filter: 'health:failing' })).jobs).toEqual([])
    expect((await reports.overview()).health.level).toBe('good')
  })
})

describe('the node of a job’s only handler is gone for an hour', () => {
  it('the job is disabled, its ticks are held back with that reason, and none is skipped for an overlap', async () => {
    const { url } = databaseFile()
    const clock = new SharedClock(t0)
    const leader = { lease: '12h', heartbeat: '3h' } as const
    const work = defineJob({ name: 'work', schedule: { every: '1m' }, run: () => 'done' })
    const scheduler = await openNode({
      database: url,
      clock,
      leader,
      roles: ['scheduler'],
      nodeId: 'scheduler',
    })
    const worker = await openNode({
      database: url,
      clock,
      leader,
      jobs: [work],
      roles: ['worker'],
      nodeId: 'worker',
    })
    const { evertick } = scheduler
    await pass([scheduler, worker], clock, '2m')
    expect((await evertick.jobs.get('work')).health.state).toBe('ok')
    await worker.stop()
    await pass([scheduler], clock, '1h')
    const { health } = await evertick.jobs.get('work')
    expect(health).toMatchObject({ state: 'disabled', sentence: 'No live node has its handler "work".' })
    expect(health.next).toContain('Start a node')
    expect((await evertick.reports.overview()).health).toMatchObject({
      level: 'disabled',
      disabled: 1,
      sentence: '1 disabled. work: No live node has its handler "work".',
    })
    expect(await evertick.why('work')).toMatchObject({ reason: 'no_handler' })
    const ticks = (await scheduler.ticks('work')).slice(2)
    const reasons = new Set(
      ticks.filter(({ executionId }) => executionId === undefined).map(({ reason }) => reason),
    )
    expect(ticks.length).toBeGreaterThan(55)
    expect([...reasons]).toEqual(['disabled'])
    const [waiting] = (await evertick.executions.list({ filter: 'state:pending' })).executions
    expect(waiting?.waits).toMatchObject({ reason: 'no_handler' })
  })
})

describe('why it waits', () => {
  const open = async () => {
    const clock = new ManualClock(t0)
    const long = lasting(clock, 7_200_000)
    const jobs = [
      defineJob({ name: 'long', overlap: 'buffer_one', run: long }),
      defineJob({ name: 'quick', queue: 'small', run: long }),
      defineJob({ name: 'broken', retry: { attempts: 2, base: '30s' }, run: broken }),
    ]
    const node = await openNode({
      clock,
      jobs,
      queues: { default: { concurrency: 5 }, small: { concurrency: 1 } },
    })
    const waitsOf = async (id: string) => (await node.evertick.executions.get(id)).waits
    return { node, evertick: node.evertick, waitsOf }
  }

  it('names who paused its queue, the run before, busy slots, an instant and a missing handler', async () => {
    const { node, evertick, waitsOf } = await open()
    await evertick.queues.pause('default', { actor: 'ann', reason: 'vendor is down' })
    const { id: paused } = await evertick.enqueue('long')
    expect(await waitsOf(paused)).toEqual({
      reason: 'queue_paused',
      sentence: 'Queue "default" was paused by ann: vendor is down.',
    })
    await evertick.queues.resume('default')
    const first = await evertick.jobs.trigger('long')
    await node.settle()
    const second = await evertick.jobs.trigger('long')
    expect(await waitsOf(second.id)).toMatchObject({
      reason: 'overlap',
      sentence: expect.stringContaining(first.id) as string,
    })
    expect(await waitsOf(first.id)).toBeUndefined()
    await evertick.enqueue('quick')
    await node.settle()
    const { id: third } = await evertick.enqueue('quick')
    expect(await waitsOf(third)).toMatchObject({
      reason: 'slots_busy',
      sentence: 'All slots of queue "small" are busy: 1 of 1.',
    })
    const until = new Date(t0 + 3_600_000)
    const { id: later } = await evertick.enqueue('long', undefined, { runAt: until })
    expect(await waitsOf(later)).toMatchObject({ reason: 'not_before', until })
    const { id: retried } = await evertick.enqueue('broken')
    await node.settle()
    expect(await waitsOf(retried)).toMatchObject({
      reason: 'not_before',
      sentence: expect.stringMatching(/^Attempt 1 of 2 failed: the next attempt is in /) as string,
    })
    await evertick.jobs.create({ name: 'orphan', handler: 'nobody' })
    const { id: orphan } = await evertick.jobs.trigger('orphan')
    expect(await waitsOf(orphan)).toEqual({
      reason: 'no_handler',
      sentence: 'No live node has its handler "nobody".',
    })
    const { id: elsewhere } = await evertick.enqueue('quick', undefined, { queue: 'unserved' })
    expect(await waitsOf(elsewhere)).toMatchObject({ reason: 'no_worker' })
  })

  it('is answered for a job and for an execution, with the next step', async () => {
    const { node, evertick } = await open()
    expect(await evertick.why('long')).toMatchObject({
      reason: 'on_demand',
      next: expect.stringContaining('trigger long') as string,
    })
    const { id } = await evertick.enqueue('broken')
    await node.advance('1h')
    expect(await evertick.why(id)).toMatchObject({
      reason: 'failed',
      next: expect.stringContaining(id) as string,
    })
    expect(await evertick.why('broken')).toMatchObject({
      reason: 'failing',
      sentence: expect.stringMatching(/^Its last run failed; /) as string,
    })
    await evertick.jobs.create({ name: 'soon', schedule: { every: '1h' }, handler: 'long' })
    expect(await evertick.why('soon')).toEqual({
      reason: 'scheduled',
      sentence: 'Its next tick is due in 1h.',
    })
    await evertick.jobs.pause('soon', { actor: 'ann', reason: 'holiday' })
    expect(await evertick.why('soon')).toMatchObject({
      reason: 'paused',
      sentence: 'It was paused by ann: holiday.',
    })
    await expect(evertick.why('nobody')).rejects.toThrow(expect.objectContaining({ code: 'job_not_found' }))
    await evertick.leader.stepDown()
    expect(await evertick.why('long')).toMatchObject({ reason: 'no_leader' })
    expect((await evertick.jobs.get('long')).health.state).toBe('unknown')
    expect((await evertick.jobs.get('broken')).health.state).toBe('failing')
  })
})

it('a job is late once its due tick is unstarted for longer than its grace, and a minute', async () => {
  const node = await openNode({
    jobs: [defineJob({ name: 'work', schedule: { every: '10m' }, queue: 'shut', run: () => 'done' })],
    queues: { shut: { concurrency: 1 } },
  })
  const { jobs, queues } = node.evertick
  await queues.pause('shut')
  await node.advance('10m59s')
  expect((await jobs.get('work')).health.state).toBe('never_ran')
  await node.advance('3s')
  expect((await jobs.get('work')).health).toMatchObject({
    state: 'late',
    sentence: 'A tick has been due for 1m 2s and has not started.',
  })
  expect((await jobs.list({ filter: 'health:late' })).jobs).toHaveLength(1)
  await queues.resume('shut')
  await node.settle()
  expect((await jobs.get('work')).health.state).toBe('ok')
})

it('states.md lists every state of health, and every reason to wait', () => {
  const page = readPage('docs/reference/states.md')
  const first = (heading: string) => tableAfter(page, heading).map(([word]) => word)
  expect(first('## The health of a job').map(String).toSorted()).toEqual([...healthStates].sort())
  expect(first('## What an execution waits for')).toEqual([...waitReasons])
})
