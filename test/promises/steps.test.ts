/** Steps, sleeps and signals: what an execution has done it does not do again, whatever becomes of the worker. */
import { describe, expect, it } from 'vitest'
import { defineJob, type JobContext, type JobOptions } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'
import { databaseFile, openNode, quiet, t0 } from './support.ts'

/** A node with one job, on a database with a table of orders. */
async function opened(run: (context: JobContext) => unknown, options: JobOptions = {}) {
  const database = databaseFile()
  const clock = new ManualClock(t0)
  const job = defineJob({ name: 'job', retry: { attempts: 3, base: '1s' }, ...options, run })
  const node = await openNode({ database: database.url, clock, logger: quiet, jobs: [job] })
  database.sql('CREATE TABLE orders (name TEXT)')
  const { id } = await node.evertick.enqueue('job', undefined, { unique: 'k' })
  return { node, clock, database, id, get: () => node.evertick.executions.get(id) }
}

describe('ctx.step', () => {
  it('runs once per execution: a later attempt is given what was stored', async () => {
    const calls: string[] = []
    const { node, get } = await opened(async (ctx) => {
      const one = await ctx.step('one', () => {
        calls.push('one')
        return { at: new Date(0), n: 1 }
      })
      const two = await ctx.step('two', async () => void calls.push('two'))
      if (ctx.attempt < 3) throw new Error('later')
      return { one, two, three: await ctx.step('three', () => calls.push('three')) }
    })
    await node.advance('1m')
    expect(calls).toEqual(['one', 'two', 'three'])
    expect(await get()).toMatchObject({
      state: 'completed',
      attempt: 3,
      // As JSON, in the first attempt, too.
      result: { one: { at: '1970-01-01T00:00:00.000Z', n: 1 }, three: 3 },
      steps: [
        { name: 'one', kind: 'step', outcome: 'done', attempt: 1, tries: 1 },
        { name: 'two', kind: 'step', outcome: 'done', attempt: 1 },
        { name: 'three', kind: 'step', outcome: 'done', attempt: 3 },
      ],
    })
  })

  it('with a transaction commits its writes and its memo together, as often as there are such steps', async () => {
    const { node, database, get } = await opened(async (ctx) => {
      for (const name of ['a', 'b']) {
        await ctx.step(name, (tx) => tx.sql`INSERT INTO orders VALUES (${name})`, { transaction: true })
      }
      if (ctx.attempt === 1) {
        await ctx.step(
          'c',
          async (tx) => {
            await tx.sql`INSERT INTO orders VALUES ('lost')`
            throw new Error('no stock')
          },
          { transaction: true },
        )
      }
    })
    await node.advance('1m')
    expect(database.sql('SELECT name FROM orders')).toEqual([{ name: 'a' }, { name: 'b' }])
    expect(await get()).toMatchObject({
      state: 'completed',
      attempt: 2,
      steps: [{ name: 'a' }, { name: 'b' }],
    })
  })

  it('has tries and a timeout of its own', async () => {
    let tries = 0
    const { node, get } = await opened(async (ctx) =>
      ctx.step(
        'flaky',
        async ({ signal, attempt }) => {
          tries = attempt
          if (attempt === 1)
            await new Promise((_, reject) =>
              signal.addEventListener('abort', () => reject(signal.reason as Error)),
            )
          if (attempt === 2) throw new Error('not yet')
          return 'third'
        },
        { retry: { attempts: 3, base: '2s' }, timeout: '5s' },
      ),
    )
    await node.advance('1m')
    expect(tries).toBe(3)
    expect(await get()).toMatchObject({
      state: 'completed',
      attempt: 1,
      result: 'third',
      steps: [{ tries: 3 }],
    })
  })

  it('may run beside others, by Promise.all', async () => {
    const { node, get } = await opened((ctx) =>
      Promise.all(['a', 'b', 'c'].map((name) => ctx.step(name, async () => name.toUpperCase()))),
    )
    await node.advance('1s')
    expect(await get()).toMatchObject({ state: 'completed', result: ['A', 'B', 'C'] })
  })

  it('does not begin once another part of the handler has ended the attempt', async () => {
    const calls: number[] = []
    const { node, clock, get } = await opened(
      (ctx) =>
        Promise.all([
          ctx.step('throws', () => clock.sleep(2_000).then(() => Promise.reject(new Error('broken')))),
          clock.sleep(10_000).then(() => ctx.step('late', () => calls.push(1))),
        ]),
      { retry: { attempts: 1 } },
    )
    await node.advance('1m')
    expect(await get()).toMatchObject({ state: 'failed' })
    expect(calls).toEqual([])
  })

  it('that is gone from the code is still shown, and the log says that it was not called', async () => {
    let hasOld = true
    const { node, id, get } = await opened(async (ctx) => {
      await ctx.step('kept', () => 1)
      if (hasOld) await ctx.step('old', () => 2).then(() => ctx.sleep('rest', '1m'))
      await ctx.step('new', () => 3)
    })
    await node.advance('1s')
    await node.evertick.signal(id, 'early')
    hasOld = false
    await node.advance('2m')
    expect(await get()).toMatchObject({
      state: 'completed',
      steps: [{ name: 'kept' }, { name: 'old', outcome: 'done' }, { name: 'rest' }, {}, { name: 'new' }],
    })
    const message =
      'Remembered of an earlier attempt and not called by this one: "old", "rest". The code has changed, or went another way.'
    expect(await node.evertick.executions.logs(id)).toMatchObject([{ level: 'info', message }])
  })

  it.each([
    [
      'a name that is used twice',
      (ctx: JobContext) => ctx.step('one', () => ctx.step('one', () => 1)),
      /used twice in one run/,
    ],
    ['no name', (ctx: JobContext) => ctx.step('', () => 1), /1 to 200 characters/],
    ['what is not data', (ctx: JobContext) => ctx.step('big', () => 1n), /cannot be written as JSON/],
    [
      'too much',
      (ctx: JobContext) => ctx.step('big', () => 'x'.repeat(2_000_000)),
      /step "big" is at least 2000002 bytes/,
    ],
  ])('refuses %s', async (_, run, message) => {
    const { node, get } = await opened(run, { retry: { attempts: 1 } })
    await node.advance('1s')
    const { state, error } = await get()
    expect(state).toBe('failed')
    expect(error?.message).toMatch(message)
  })
})

describe('ctx.definition', () => {
  it('tells an execution that began under an older revision, and its retry', async () => {
    const told: unknown[] = []
    const { node, id, get } = await opened(async (ctx) => {
      told.push(await ctx.definition())
      await ctx.step('one', () => 1)
      await ctx.sleep('rest', '1h')
      throw new Error(`attempt ${ctx.attempt}`)
    })
    const { evertick } = node
    expect(await get()).toMatchObject({ definition: null })
    await node.advance('1m')
    await evertick.jobs.update('job', { retry: { attempts: 1 } })
    await evertick.jobs.update('job', { priority: 3 })
    await node.advance('2h')
    expect(await get()).toMatchObject({ state: 'failed', definition: { began: 1, revision: 3 } })
    await evertick.jobs.update('job', { priority: 4 })
    const retry = await evertick.executions.retry(id)
    await node.advance('2h')
    expect((await evertick.executions.get(retry.id)).definition).toEqual({ began: 1, revision: 4 })
    expect(told[0]).toEqual({ began: 1, revision: 1 })
    expect(told[1]).toEqual({ began: 1, revision: 3 })
    expect(told.at(-1)).toEqual({ began: 1, revision: 4 })
  })
})

describe('ctx.sleep', () => {
  it('gives up the slot, costs no attempt, and comes back to its line once', async () => {
    const seen: number[] = []
    const { node, clock, get } = await opened(async (ctx) => {
      await ctx.step('before', () => void seen.push(0))
      await ctx.sleep('a day', '1d')
      await ctx.step('after', () => void seen.push(clock.now() - t0))
      return ctx.attempt
    })
    await node.settle()
    expect(await get()).toMatchObject({
      state: 'sleeping',
      leasedUntil: null,
      readyAt: new Date(t0 + 86_400_000),
      waits: { reason: 'sleeping', until: new Date(t0 + 86_400_000) },
    })
    expect(node.evertick.running).toBe(0)
    expect((await node.evertick.executions.list({ state: 'sleeping' })).executions).toHaveLength(1)
    expect((await node.evertick.executions.list({ state: 'retrying' })).executions).toHaveLength(0)
    await node.advance('2d')
    expect(seen).toEqual([0, 86_400_000])
    expect(await get()).toMatchObject({ state: 'completed', result: 1, attempt: 1 })
  })

  it('beside another sleep ends by itself', async () => {
    const { node, clock, get } = await opened(async (ctx) => {
      await Promise.all([ctx.sleep('short', '1h'), ctx.sleep('long', '3h')])
      return clock.now() - t0
    })
    await node.advance('2h')
    expect(await get()).toMatchObject({ state: 'sleeping', readyAt: new Date(t0 + 3 * 3_600_000) })
    await node.advance('2h')
    expect(await get()).toMatchObject({ state: 'completed', result: 3 * 3_600_000 })
  })

  it('beside a step that goes on holds the slot, and still ends', async () => {
    const { node, clock, get } = await opened(async (ctx) => {
      await Promise.all([ctx.sleep('s', '1m'), ctx.step('beside', () => clock.sleep(5_000))])
      return clock.now() - t0
    })
    await node.advance('30s')
    expect(await get()).toMatchObject({ state: 'running' })
    await node.advance('1m')
    expect(await get()).toMatchObject({ state: 'completed', result: 60_000, attempt: 1 })
  })

  it('beside another leaves no timer behind, and has nothing to tell of its slot', async () => {
    const { node, clock, id, get } = await opened((ctx) =>
      Promise.all([ctx.sleep('short', '5h'), ctx.sleep('long', '7h')]),
    )
    let asleep = 0
    const sleep = clock.sleep.bind(clock)
    clock.sleep = async (...args) => {
      asleep += 1
      await sleep(...args)
      asleep -= 1
    }
    await node.settle()
    expect(await get()).toMatchObject({ state: 'sleeping' })
    expect(await node.evertick.executions.logs(id)).toEqual([])
    await node.evertick.stop()
    expect(asleep).toBe(0)
  })

  it('is cancelled without its handler', async () => {
    const { node, id, get } = await opened((ctx) => ctx.sleep('s', '1d'))
    await node.settle()
    await node.evertick.executions.cancel(id)
    expect(await get()).toMatchObject({ state: 'cancelled', cancelReason: 'operator' })
    await node.advance('2d')
    expect(await get()).toMatchObject({ state: 'cancelled' })
  })

  it('is refused where a crash must end the execution', async () => {
    const { node, get } = await opened((ctx) => ctx.sleep('s', '1d'), { onCrash: 'fail' })
    await node.settle()
    expect((await get()).error?.message).toContain("onCrash: 'fail'")
  })
})

describe('ctx.waitFor', () => {
  const waits = (ctx: JobContext) => ctx.waitFor('approval', { timeout: '1h' })

  it('is answered by a signal, once, with who it was', async () => {
    const { node, id, get } = await opened(waits)
    await node.advance('1m')
    expect(await get()).toMatchObject({ state: 'waiting', steps: [{ name: 'approval', outcome: 'open' }] })
    const answered = await node.evertick.signal(id, 'approval', { yes: true }, { actor: 'ann' })
    expect(answered).toEqual({ executionId: id, taken: true })
    await expect(node.evertick.signal(id, 'approval', 2)).rejects.toMatchObject({
      code: 'invalid_transition',
    })
    await node.settle()
    const result = { outcome: 'signal', payload: { yes: true }, by: 'ann' }
    expect(await get()).toMatchObject({ state: 'completed', result, attempt: 1 })
    await expect(node.evertick.signal(id, 'other')).rejects.toMatchObject({ code: 'invalid_transition' })
    const { entries } = await node.evertick.auditLog.list()
    expect(entries).toContainEqual(
      expect.objectContaining({ action: 'execution.signal', actor: 'ann', subject: id }),
    )
  })

  it('finds a signal that came first, also by the job and its key', async () => {
    let release = () => {}
    const { node, id, get } = await opened(async (ctx) => {
      await new Promise<void>((resolve) => (release = resolve))
      return await waits(ctx)
    })
    await expect.poll(() => node.evertick.running).toBe(1)
    expect(await node.evertick.signal({ job: 'job', key: 'k' }, 'approval', 7)).toMatchObject({
      executionId: id,
    })
    release()
    await node.settle()
    expect(await get()).toMatchObject({ state: 'completed', result: { outcome: 'signal', payload: 7 } })
  })

  it('takes the same signal, sent again, for one', async () => {
    const { node, id } = await opened(waits)
    await node.settle()
    const send = () => node.evertick.signal({ job: 'job', key: 'k' }, 'approval', 1, { id: 's1' })
    expect(await send()).toEqual({ executionId: id, taken: true })
    await node.settle()
    // The key is free again, and another execution has it.
    await node.evertick.enqueue('job', undefined, { unique: 'k' })
    await node.settle()
    expect(await send()).toEqual({ executionId: id, taken: false })
  })

  it('is not taken for the memo of a step with the name of a signal', async () => {
    const calls: number[] = []
    const { node, id, get } = await opened(async (ctx) => {
      const charged = await ctx.step('charge', () => calls.push(ctx.attempt))
      if (ctx.attempt === 1) throw new Error('later')
      return charged
    })
    await node.evertick.signal(id, 'charge')
    await node.advance('1m')
    expect(calls).toEqual([1])
    expect(await get()).toMatchObject({ state: 'completed', result: 1 })
  })

  it('times out as an outcome of its own', async () => {
    const { node, id, get } = await opened(waits)
    await node.advance('2h')
    expect(await get()).toMatchObject({ state: 'completed', result: { outcome: 'timeout' } })
    await expect(node.evertick.signal(id, 'approval')).rejects.toMatchObject({ code: 'invalid_transition' })
  })

  it.each([
    ['with a timeout', { timeout: 86_400_000 }],
    ['without', {}],
  ])(
    '%s, beside a step, holds the slot, lets plain code after the step go on, and hears its signal',
    async (_, options) => {
      const { node, clock, id, get } = await opened((ctx) =>
        Promise.all([
          ctx.waitFor('go', options),
          ctx
            .step('one', () => 1)
            .then(async () => {
              await clock.sleep(5_000)
              return await ctx.step('two', () => 2)
            }),
        ]),
      )
      await node.advance('30s')
      expect(await get()).toMatchObject({
        state: 'running',
        steps: [{}, {}, { name: 'two', outcome: 'done' }],
      })
      await node.evertick.signal(id, 'go')
      await node.advance('2s')
      expect(await get()).toMatchObject({ state: 'completed', result: [{ outcome: 'signal' }, 2] })
    },
  )

  it('without a timeout waits until it is answered', async () => {
    const { node, id, get } = await opened((ctx) => ctx.waitFor('go'))
    await node.advance('30d')
    expect(await get()).toMatchObject({ state: 'waiting', waits: { reason: 'waiting' } })
    await node.evertick.signal(id, 'go')
    await node.settle()
    expect(await get()).toMatchObject({ state: 'completed', result: { outcome: 'signal', by: 'api' } })
  })
})

describe('a retry of the execution', () => {
  it('keeps what was done, or what came before a step that is named', async () => {
    const calls: string[] = []
    let broken = true
    const { node, id } = await opened(
      async (ctx) => {
        for (const name of ['a', 'b', 'c']) await ctx.step(name, () => void calls.push(name))
        if (broken) throw new Error('broken')
      },
      { retry: { attempts: 1 } },
    )
    await node.settle()
    broken = false
    const { id: again } = await node.evertick.executions.retry(id)
    expect((await node.evertick.executions.retry(id)).id).toBe(again)
    await node.settle()
    expect(calls).toEqual(['a', 'b', 'c'])
    await node.evertick.executions.retry(again, { fromStep: 'b' })
    await node.settle()
    expect(calls).toEqual(['a', 'b', 'c', 'b', 'c'])
    await expect(node.evertick.executions.retry(again, { fromStep: 'x' })).rejects.toMatchObject({
      field: 'fromStep',
    })
  })
})
