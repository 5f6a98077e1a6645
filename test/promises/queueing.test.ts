/** Work that is asked for: enqueue, queues, and what is told of a run. */
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineJob, type EventName } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'
import { at, databaseFile, lasting, openNode, statesOf, t0 } from './support.ts'

it('larger priority goes first, then the oldest', async () => {
  const ran: unknown[] = []
  const job = defineJob({ name: 'job', run: ({ input }) => void ran.push(input) })
  const node = await openNode({ queues: { default: { concurrency: 1 } }, jobs: [job] })
  await node.evertick.queues.pause('default')
  for (const [input, priority] of [
    ['a', 0],
    ['b', 10],
    ['c', -5],
    ['d', 10],
    ['e', 5],
  ] as const) {
    await node.evertick.enqueue('job', input, { priority })
  }
  await node.evertick.queues.resume('default')
  await node.advance('1s')
  expect(ran).toEqual(['b', 'd', 'e', 'a', 'c'])
})

it('a paused queue starts nothing, and goes on where it stood', async () => {
  const job = defineJob({ name: 'job', queue: 'mail', run: () => 'sent' })
  const node = await openNode({ queues: { mail: { concurrency: 5 } }, jobs: [job] })
  await node.evertick.queues.pause('mail', { reason: 'full', actor: 'ops' })
  for (let made = 0; made < 3; made += 1) await node.evertick.enqueue('job')
  await node.advance('1h')
  expect(await node.evertick.queues.list()).toMatchObject([
    { name: 'mail', pending: 3, running: 0, pausedReason: 'full', pausedBy: 'ops' },
  ])
  await node.evertick.queues.resume('mail')
  await node.advance('1s')
  expect(statesOf(await node.executions(job))).toEqual({ completed: 3 })
})

it('`runAt`: not before its instant', async () => {
  const job = defineJob({ name: 'job', run: () => {} })
  const node = await openNode({ jobs: [job] })
  await node.evertick.enqueue('job', null, { runAt: at(600) })
  await node.advance('599s')
  expect(statesOf(await node.executions(job))).toEqual({ pending: 1 })
  await node.advance('1s')
  expect(await node.executions(job)).toMatchObject([{ state: 'completed', finishedAt: at(600) }])
})

it('`unique`: while one is unfinished, no second one is made', async () => {
  const clock = new ManualClock(t0)
  const job = defineJob({ name: 'job', run: lasting(clock, 10_000) })
  const node = await openNode({ clock, jobs: [job] })
  const first = await node.evertick.enqueue('job', 1, { unique: 'order 7' })
  await node.advance('1s')
  expect(await node.evertick.enqueue('job', 2, { unique: 'order 7' })).toEqual({
    id: first.id,
    created: false,
  })
  expect((await node.evertick.enqueue('job', 3, { unique: 'order 8' })).created).toBe(true)
  await node.advance('20s')
  expect((await node.evertick.enqueue('job', 4, { unique: 'order 7' })).created).toBe(true)
  expect(await node.executions(job)).toHaveLength(3)
})

it('an input that the schema refuses is never stored; its defaults reach the handler', async () => {
  const job = defineJob({
    name: 'job',
    input: z.object({ customer: z.string().default('all'), copies: z.coerce.number().default(1) }),
    run: ({ input }) => `${input.customer} x ${input.copies + 1}`,
  })
  const node = await openNode({ jobs: [job] })
  await expect(node.evertick.enqueue('job', { customer: 42 })).rejects.toMatchObject({
    code: 'invalid_input',
    field: 'input.customer',
  })
  const { id } = await node.evertick.enqueue('job', { copies: '2' })
  await node.advance('1s')
  expect(await node.evertick.result(id)).toBe('all x 3')
  expect(await node.executions(job)).toHaveLength(1)
})

describe('an enqueue inside the caller’s own transaction', () => {
  it.each(['DatabaseSync', 'query'] as const)('exists if and only if it commits (%s)', async (kind) => {
    const database = databaseFile()
    const ran: unknown[] = []
    const job = defineJob({ name: 'job', run: ({ input }) => void ran.push(input) })
    const node = await openNode({ database: database.url, jobs: [job] })
    const own = new DatabaseSync(database.path)
    own.exec('CREATE TABLE orders (name TEXT)')
    const query = (text: string, params: readonly unknown[]) => own.prepare(text).all(...(params as string[]))
    const tx = kind === 'query' ? { query } : own
    for (const [name, end] of [
      ['lost', 'ROLLBACK'],
      ['kept', 'COMMIT'],
    ] as const) {
      own.exec('BEGIN IMMEDIATE')
      own.prepare('INSERT INTO orders VALUES (?)').run(name)
      expect(await node.evertick.enqueue('job', name, { tx })).toMatchObject({ created: true })
      own.exec(end)
    }
    own.close()
    await node.advance('2m')
    expect(ran).toEqual(['kept'])
    expect(await node.executions(job)).toHaveLength(1)
    expect(database.sql('SELECT name FROM orders')).toEqual([{ name: 'kept' }])
  })

  it('all of enqueueMany, or none', async () => {
    const node = await openNode({ jobs: [defineJob({ name: 'job', run: () => {} })] })
    await expect(node.evertick.enqueueMany([{ job: 'job' }, { job: 'nobody' }])).rejects.toMatchObject({
      code: 'job_not_found',
    })
    expect(await node.executions('job')).toEqual([])
  })
})

it('progress and log lines are kept', async () => {
  const clock = new ManualClock(t0)
  const job = defineJob({
    name: 'job',
    async run(context) {
      await context.progress(0.25, 'a quarter')
      context.log.info('begun', { pages: 4 })
      await lasting(clock, 5_000)(context)
      await context.progress(1)
      context.log.warn('ended')
    },
  })
  const node = await openNode({ clock, jobs: [job] })
  const { id } = await node.evertick.enqueue('job')
  await node.advance('2s')
  expect(await node.evertick.executions.get(id)).toMatchObject({ progress: 0.25, progressNote: 'a quarter' })
  await node.advance('10s')
  expect(await node.evertick.executions.logs(id)).toEqual([
    { at: at(0), level: 'info', message: 'begun {"pages":4}' },
    { at: at(5), level: 'warn', message: 'ended' },
  ])
})

describe('result()', () => {
  it('waits for what the handler returns', async () => {
    const clock = new ManualClock(t0)
    const job = defineJob({ name: 'job', run: () => clock.sleep(10_000).then(() => ({ pages: 3 })) })
    const node = await openNode({ clock, jobs: [job] })
    const { id } = await node.evertick.enqueue('job')
    const waiting = node.evertick.result(id)
    await node.advance('15s')
    expect(await waiting).toEqual({ pages: 3 })
  })

  it('tells of a failure, and of a wait that was too long', async () => {
    const clock = new ManualClock(t0)
    const job = defineJob({
      name: 'job',
      retry: { attempts: 1 },
      async run() {
        await clock.sleep(10_000)
        throw new Error('no paper')
      },
    })
    const node = await openNode({ clock, jobs: [job] })
    const { id } = await node.evertick.enqueue('job')
    const refusal = (error: unknown) => error
    const short = node.evertick.result(id, { timeout: '5s' }).catch(refusal)
    const long = node.evertick.result(id).catch(refusal)
    await node.advance('15s')
    expect(await short).toMatchObject({ code: 'timeout' })
    expect(await long).toMatchObject({ code: 'execution_failed' })
    expect(String(await long)).toContain('no paper')
    await expect(node.evertick.result('nothing')).rejects.toMatchObject({ code: 'execution_not_found' })
  })
})

it('events tell of a run from its tick to its end', async () => {
  const names = [
    'tick:accounted',
    'execution:started',
    'execution:progress',
    'execution:retrying',
    'execution:completed',
    'execution:failed',
    'execution:cancelled',
    'job:created',
    'job:paused',
    'job:resumed',
    'job:updated',
    'job:deleted',
    'schedule:added',
    'schedule:modified',
    'schedule:deleted',
  ] as const satisfies EventName[]
  const job = defineJob({
    name: 'job',
    schedule: { every: '10s' },
    async run({ attempt, progress }) {
      await progress(0.5)
      if (attempt === 1) throw new Error('first')
    },
  })
  const node = await openNode({ jobs: [job] })
  const heard: string[] = []
  for (const name of names) node.evertick.on(name, (event) => void heard.push(`${name} ${event.job}`))
  node.evertick.on('execution:started', () => {
    throw new Error('a listener that throws disturbs nobody')
  })
  await node.advance('12s')
  expect(heard).toEqual([
    'tick:accounted job',
    'execution:started job',
    'execution:progress job',
    'execution:retrying job',
    'execution:started job',
    'execution:progress job',
    'execution:completed job',
  ])
  heard.length = 0
  await node.evertick.jobs.create({ name: 'other', handler: 'job', schedule: { every: '1h' } })
  await node.evertick.jobs.pause('other')
  await node.evertick.jobs.resume('other')
  await node.evertick.jobs.update('other', { schedule: { every: '2h' } })
  await node.settle()
  await node.evertick.jobs.delete('other')
  await node.settle()
  expect(heard.filter((line) => line.startsWith('job:'))).toEqual([
    'job:created other',
    'job:paused other',
    'job:resumed other',
    'job:updated other',
    'job:deleted other',
  ])
  expect(heard).toContain('schedule:added other')
  expect(heard).toContain('schedule:deleted other')
})

describe('locks', () => {
  it('one holder at a time; the fence grows; a late holder is told', async () => {
    const node = await openNode()
    const { locks } = node.evertick
    const first = await locks.acquire('report', { ttl: '30s' })
    expect(await locks.acquire('report', { ttl: '30s' })).toBeNull()
    await node.advance('20s')
    await first?.extend()
    await node.advance('20s')
    expect(await locks.acquire('report', { ttl: '30s' })).toBeNull()
    await node.advance('12s')
    const second = await locks.acquire('report', { ttl: '30s' })
    expect(second?.fence).toBeGreaterThan(first?.fence ?? Infinity)
    await expect(first?.extend()).rejects.toMatchObject({ code: 'lock_lost' })
    expect(await first?.release()).toBe(false)
    expect(await locks.list()).toMatchObject([{ name: 'leader' }, { name: 'report', fence: second?.fence }])
    expect(await second?.release()).toBe(true)
    const third = await locks.acquire('report', { ttl: '30s' })
    expect(third?.fence).toBeGreaterThan(second?.fence ?? Infinity)
  })

  it('waits as long as asked, and an operator may release it', async () => {
    const node = await openNode()
    const { locks } = node.evertick
    const held = await locks.acquire('report', { ttl: '1h' })
    const tooShort = locks.acquire('report', { ttl: '1h', wait: '10s' })
    await node.advance('11s')
    expect(await tooShort).toBeNull()
    const patient = locks.acquire('report', { ttl: '1h', wait: '1m' })
    await node.advance('5s')
    await locks.release('report')
    await node.advance('1s')
    expect((await patient)?.fence).toBeGreaterThan(held?.fence ?? Infinity)
    await expect(locks.release('nothing')).rejects.toMatchObject({ code: 'lock_not_found' })
    await expect(locks.acquire('leader', { ttl: '1s' })).rejects.toMatchObject({ code: 'invalid_option' })
  })
})
