/** Tries of an execution: retries, outcomes, time limits and crashes. */
import { describe, expect, it } from 'vitest'
import { defineJob, type JobContext, type JobOptions, outcome } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'
import { at, databaseFile, lasting, openNode, secondsOf, statesOf, t0 } from './support.ts'

/** Enqueues once, lets time pass, and says when which attempt began. */
async function tried(options: JobOptions, run: (context: JobContext) => unknown, seconds = 3_600) {
  const clock = new ManualClock(t0)
  const starts: (number | null)[] = []
  const attempts: number[] = []
  const job = defineJob({
    name: 'job',
    ...options,
    run(context) {
      starts.push(secondsOf(new Date(clock.now())))
      attempts.push(context.attempt)
      return run(context)
    },
  })
  const node = await openNode({ clock, jobs: [job] })
  const { id } = await node.evertick.enqueue('job')
  await node.advance(`${seconds}s`)
  const execution = await node.evertick.executions.get(id)
  return { node, starts, attempts, execution }
}

describe('retries', () => {
  it('follow with back-off, and the exhausted execution is failed and listed', async () => {
    const { node, starts, attempts, execution } = await tried({ retry: { attempts: 4 } }, () => {
      throw new TypeError('no luck')
    })
    expect(starts).toEqual([0, 1, 3, 7])
    expect(attempts).toEqual([1, 2, 3, 4])
    expect(execution).toMatchObject({ state: 'failed', error: { name: 'TypeError', message: 'no luck' } })
    expect(execution.attempts.map((tryOf) => tryOf.outcome)).toEqual(['error', 'error', 'error', 'failed'])
    expect((await node.evertick.executions.list({ state: 'failed' })).executions).toHaveLength(1)
  })

  it('are as many as when the execution was made: an edit holds for later ones', async () => {
    const attempts: string[] = []
    const job = defineJob({
      name: 'job',
      retry: { attempts: 2 },
      run(context) {
        attempts.push(`${String(context.input)} ${context.attempt}`)
        throw new Error('no luck')
      },
    })
    const node = await openNode({ jobs: [job] })
    await node.evertick.enqueue('job', 'before')
    await node.settle()
    await node.evertick.jobs.update('job', { retry: { attempts: 3 } })
    await node.evertick.enqueue('job', 'after')
    await node.advance('1m')
    expect(attempts.toSorted()).toEqual(['after 1', 'after 2', 'after 3', 'before 1', 'before 2'])
  })

  it('take base, factor and the longest back-off as asked', async () => {
    const retry = { attempts: 5, base: '10s', factor: 3, max: '60s' } as const
    const { starts } = await tried({ retry }, () => Promise.reject(new Error('again')))
    expect(starts).toEqual([0, 10, 40, 100, 160])
  })

  it('share one idempotency key, also with the retry of a dead letter', async () => {
    const keys = new Set<string>()
    const { node, execution } = await tried({ retry: { attempts: 2 } }, ({ idempotencyKey }) => {
      keys.add(idempotencyKey)
      throw new Error('dead')
    })
    const again = await node.evertick.executions.retry(execution.id)
    expect(again).toMatchObject({
      retryOf: execution.id,
      scheduledFor: execution.scheduledFor,
      account: null,
    })
    await node.advance('1m')
    expect([...keys]).toEqual([execution.idempotencyKey])
    expect((await node.evertick.executions.get(execution.id)).state).toBe('failed')
  })

  it('survive whatever is thrown', async () => {
    for (const thrown of [null, undefined, 'text', 42, { odd: true }, Object.create(null)] as const) {
      const { execution } = await tried({ retry: { attempts: 1 } }, () => Promise.reject(thrown as Error), 10)
      expect(execution).toMatchObject({ state: 'failed', error: { name: 'Error' } })
    }
  })
})

describe('a handler may say how it ended', () => {
  it('outcome.retry: after this long, and it counts', async () => {
    const { starts, attempts, execution } = await tried({}, () => outcome.retry('30s', 'not ready'))
    expect(starts).toEqual([0, 30, 60])
    expect(attempts).toEqual([1, 2, 3])
    expect(execution).toMatchObject({ state: 'failed', error: { message: 'not ready' } })
  })

  it('outcome.snooze: after this long, and it does not count', async () => {
    let naps = 0
    const { starts, attempts, execution } = await tried({ retry: { attempts: 1 } }, () => {
      naps += 1
      return naps <= 5 ? outcome.snooze('1m') : 'rested'
    })
    expect(starts).toEqual([0, 60, 120, 180, 240, 300])
    expect(new Set(attempts)).toEqual(new Set([1]))
    expect(execution).toMatchObject({ state: 'completed', result: 'rested', attempt: 1 })
  })

  it('outcome.cancel: nothing to do any more', async () => {
    const { starts, execution } = await tried({}, () => {
      throw outcome.cancel('the order is gone')
    })
    expect(starts).toEqual([0])
    expect(execution).toMatchObject({
      state: 'cancelled',
      cancelReason: 'handler',
      error: { message: 'the order is gone' },
    })
  })

  it('outcome.fail: no further attempt', async () => {
    const { starts, execution } = await tried({ retry: { attempts: 9 } }, () => {
      throw outcome.fail('card refused')
    })
    expect(starts).toEqual([0])
    expect(execution).toMatchObject({ state: 'failed', attempt: 1, error: { message: 'card refused' } })
  })
})

describe('timeout', () => {
  it('aborts the signal, and the attempt counts as failed', async () => {
    const clock = new ManualClock(t0)
    const reasons: unknown[] = []
    const job = defineJob({
      name: 'job',
      timeout: '10s',
      retry: { attempts: 2 },
      async run({ signal }) {
        await clock.sleep(60_000, signal)
        reasons.push((signal.reason as { code?: unknown }).code)
        signal.throwIfAborted()
      },
    })
    const node = await openNode({ clock, jobs: [job] })
    await node.evertick.enqueue('job')
    await node.advance('5m')
    expect(reasons).toEqual(['timeout', 'timeout'])
    const [execution] = await node.executions(job)
    expect(execution).toMatchObject({ state: 'failed', attempt: 2, error: { code: 'timeout' } })
    expect(secondsOf(execution?.finishedAt ?? null)).toBe(21)
  })

  it('gives up a handler that ignores its signal, and frees its slot', async () => {
    const clock = new ManualClock(t0)
    const stuck = defineJob({
      name: 'stuck',
      timeout: '10s',
      retry: { attempts: 1 },
      run: () => clock.sleep(1e9),
    })
    const next = defineJob({ name: 'next', run: () => secondsOf(new Date(clock.now())) })
    const node = await openNode({ clock, queues: { default: { concurrency: 1 } }, jobs: [stuck, next] })
    await node.evertick.enqueue('stuck')
    const { id } = await node.evertick.enqueue('next')
    await node.advance('1m')
    expect(await node.executions(stuck)).toMatchObject([{ state: 'failed', error: { code: 'timeout' } }])
    expect(await node.evertick.result(id)).toBe(15)
  })

  it('gives up a schema that never answers', async () => {
    const clock = new ManualClock(t0)
    const validate = async () => await clock.sleep(1e9).then(() => ({ value: null }))
    const input = { '~standard': { version: 1, vendor: 'test', validate } } as const
    const job = defineJob({ name: 'job', timeout: '10s', retry: { attempts: 1 }, input, run: () => {} })
    const node = await openNode({ clock, jobs: [job] })
    await node.evertick.jobs.trigger('job')
    await node.advance('1m')
    expect(await node.executions(job)).toMatchObject([{ state: 'failed', error: { code: 'timeout' } }])
  })

  it('gives up a handler that was cancelled before it, and ignores both', async () => {
    const clock = new ManualClock(t0)
    const stuck = defineJob({ name: 'stuck', timeout: '1m', run: () => clock.sleep(1e9) })
    const next = defineJob({ name: 'next', run: () => secondsOf(new Date(clock.now())) })
    const node = await openNode({ clock, queues: { default: { concurrency: 1 } }, jobs: [stuck, next] })
    const { id: stuckId } = await node.evertick.enqueue('stuck')
    const { id } = await node.evertick.enqueue('next')
    await node.advance('1s')
    await node.evertick.executions.cancel(stuckId)
    // Its lease is not renewed, so it ends as cancelled before its time is over.
    await node.advance('50s')
    expect(await node.evertick.leases.active()).toEqual([])
    expect(await node.executions(stuck)).toMatchObject([{ state: 'cancelled', cancelReason: 'operator' }])
    await node.advance('1m')
    expect(await node.evertick.result(id)).toBe(65)
  })
})

it('`startDeadline`: what could not start in time is cancelled, and never runs', async () => {
  const ran: unknown[] = []
  const job = defineJob({ name: 'job', startDeadline: '1m', run: ({ input }) => void ran.push(input) })
  const node = await openNode({ jobs: [job] })
  await node.evertick.queues.pause('default')
  await node.evertick.enqueue('job', 'early')
  await node.advance('50s')
  await node.evertick.enqueue('job', 'late')
  await node.advance('20s')
  expect(statesOf(await node.executions(job))).toEqual({ 'cancelled: start_deadline': 1, pending: 1 })
  await node.evertick.queues.resume('default')
  await node.advance('1s')
  expect(ran).toEqual(['late'])
})

const leader = { lease: '10s', heartbeat: '3s' } as const

describe('a crash of the worker', () => {
  it.each([
    ['retry', { state: 'completed', attempt: 2 }, 2],
    ['fail', { state: 'failed', attempt: 1, error: { code: 'lease_expired' } }, 1],
  ] as const)('with onCrash `%s`', async (onCrash, expected, runs) => {
    const { url } = databaseFile()
    const [frozen, clock] = [new ManualClock(t0), new ManualClock(t0 + 35_000)]
    let ran = 0
    const job = (own: ManualClock) =>
      defineJob({
        name: 'job',
        onCrash,
        async run(context) {
          ran += 1
          if (context.attempt === 1) await lasting(own, 60_000)(context)
        },
      })
    const crashed = await openNode({ database: url, clock: frozen, leader, jobs: [job(frozen)] })
    const { id } = await crashed.evertick.enqueue('job')
    await crashed.advance('1s')
    const node = await openNode({ database: url, clock, leader, jobs: [job(clock)] })
    await node.advance('10s')
    const execution = await node.evertick.executions.get(id)
    expect(execution).toMatchObject(expected)
    expect(execution.attempts).toHaveLength(runs)
    const { nodeId } = crashed.evertick
    expect(execution.attempts[0]).toMatchObject({ attempt: 1, outcome: 'crashed', nodeId })
    expect(ran).toBe(runs)
  })

  it('a poison job burns nobody else’s attempts: reservations are not counted', async () => {
    const { url } = databaseFile()
    const [frozen, clock] = [new ManualClock(t0), new ManualClock(t0 + 40_000)]
    const jobs = (own: ManualClock) => [
      defineJob({ name: 'poison', retry: { attempts: 2 }, run: lasting(own, 1e9) }),
      defineJob({ name: 'good', retry: { attempts: 1 }, run: ({ attempt }) => attempt }),
    ]
    const queues = { default: { concurrency: 1 } }
    const crashed = await openNode({ database: url, clock: frozen, leader, queues, jobs: jobs(frozen) })
    // A first run teaches the worker that runs are short, so that it keeps a reserve.
    await crashed.evertick.enqueue('good')
    await crashed.advance('1s')
    const items = Array.from({ length: 20 }, () => ({ job: 'good' }))
    await crashed.evertick.enqueueMany([{ job: 'poison' }, ...items])
    await crashed.settle()
    const reserved = await crashed.evertick.executions.list({ job: 'good', state: 'running' })
    expect(reserved.executions.length).toBeGreaterThan(5)
    expect(reserved.executions.every(({ attempt }) => attempt === 0)).toBe(true)

    const node = await openNode({
      database: url,
      clock,
      leader,
      queues: { default: { concurrency: 2 } },
      jobs: jobs(clock),
    })
    await node.advance('30s')
    expect(statesOf(await node.executions('good'))).toEqual({ completed: 21 })
    expect((await node.executions('good')).every(({ attempt }) => attempt === 1)).toBe(true)
    expect(await node.executions('poison')).toMatchObject([{ state: 'running', attempt: 2 }])
    expect((await node.executions('poison'))[0]?.scheduledFor).toEqual(at(1))
  })
})
