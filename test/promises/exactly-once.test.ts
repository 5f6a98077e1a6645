/** Effects through `ctx.transaction`: exactly once, whatever becomes of the worker. */
import { describe, expect, it } from 'vitest'
import { defineJob, type JobContext, type JobOptions } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'
import {
  type DatabaseFile,
  databaseFile,
  lasting,
  openNode,
  quiet,
  secondsOf,
  statesOf,
  t0,
} from './support.ts'

const leader = { lease: '10s', heartbeat: '3s' } as const

const orders = (database: DatabaseFile) =>
  database.sql('SELECT name FROM orders ORDER BY rowid').map(({ name }) => name)

/** One run of a handler on a database with a table of orders. */
async function ran(run: (context: JobContext, clock: ManualClock) => unknown, options: JobOptions = {}) {
  const database = databaseFile()
  const clock = new ManualClock(t0)
  const warnings: string[] = []
  const logger = { ...quiet, warn: (message: string) => void warnings.push(message) }
  const job = defineJob({
    name: 'job',
    retry: { attempts: 1 },
    ...options,
    run: (context) => run(context, clock),
  })
  const other = defineJob({ name: 'other', run: ({ input }) => input })
  const node = await openNode({ database: database.url, clock, logger, jobs: [job, other] })
  database.sql('CREATE TABLE orders (name TEXT)')
  const { id } = await node.evertick.enqueue('job')
  await node.advance('30s')
  return { node, database, warnings, execution: await node.evertick.executions.get(id) }
}

describe('ctx.transaction', () => {
  it('commits the handler’s writes and the completion together; its result is the execution’s', async () => {
    const { database, execution } = await ran(async (ctx) => {
      await ctx.transaction(async (tx) => {
        await tx.sql`INSERT INTO orders VALUES (${'one'})`
        await tx.query('INSERT INTO orders VALUES (?)', ['two'])
        return { made: await tx.sql`SELECT count(*) AS n FROM orders` }
      })
      return 'not this'
    })
    expect(orders(database)).toEqual(['one', 'two'])
    expect(execution).toMatchObject({ state: 'completed', result: { made: [{ n: 2 }] } })
  })

  it('writes nothing if its function throws, and the attempt fails', async () => {
    const { database, execution } = await ran((ctx) =>
      ctx.transaction(async (tx) => {
        await tx.sql`INSERT INTO orders VALUES ('lost')`
        throw new Error('no stock')
      }),
    )
    expect(orders(database)).toEqual([])
    expect(execution).toMatchObject({ state: 'failed', error: { message: 'no stock' } })
  })

  it('a second one in the same attempt is refused', async () => {
    const { database, warnings, execution } = await ran(async (ctx) => {
      await ctx.transaction((tx) => tx.sql`INSERT INTO orders VALUES ('first')`)
      await expect(
        ctx.transaction((tx) => tx.sql`INSERT INTO orders VALUES ('second')`),
      ).rejects.toMatchObject({
        code: 'transaction_used',
      })
    })
    expect(orders(database)).toEqual(['first'])
    expect(execution.state).toBe('completed')
    expect(warnings).toEqual([])
  })

  it('a throw after it is only a warning', async () => {
    const { database, warnings, execution } = await ran(async (ctx) => {
      await ctx.transaction((tx) => tx.sql`INSERT INTO orders VALUES ('kept')`)
      throw new Error('too late')
    })
    expect(orders(database)).toEqual(['kept'])
    expect(execution).toMatchObject({ state: 'completed', error: null })
    expect(warnings).toMatchObject([expect.stringContaining('threw after its transaction')])
  })

  it('our own writes inside it, without its tx, are refused with a code', async () => {
    const codes: unknown[] = []
    const code = (error: { code?: unknown }) => void codes.push(error.code)
    const { node, execution } = await ran((ctx) =>
      ctx.transaction(async (tx) => {
        await ctx.enqueue('other', 'outside').catch(code)
        await ctx.progress(0.5)
        await ctx.enqueue('other', 'inside', { tx })
      }),
    )
    expect(codes).toEqual(['nested_write'])
    expect(execution.state).toBe('completed')
    expect(await node.executions('other')).toMatchObject([{ input: 'inside', state: 'completed' }])
  })

  it('an enqueue with its tx goes with it when it is rolled back', async () => {
    const { node } = await ran((ctx) =>
      ctx.transaction(async (tx) => {
        await ctx.enqueue('other', 'inside', { tx })
        throw new Error('back')
      }),
    )
    expect(await node.executions('other')).toEqual([])
  })

  it('that takes too long is rolled back with a coded error, and others go on', async () => {
    const { node, database, execution } = await ran((ctx, clock) =>
      ctx.transaction(async (tx) => {
        await tx.sql`INSERT INTO orders VALUES ('slow')`
        await clock.sleep(10_000)
        await tx.sql`INSERT INTO orders VALUES ('slower')`
      }),
    )
    expect(orders(database)).toEqual([])
    expect(execution).toMatchObject({ state: 'failed', error: { code: 'transaction_timeout' } })
    expect(secondsOf(execution.finishedAt)).toBe(2)
    const { id } = await node.evertick.enqueue('other', 'next')
    await node.advance('1s')
    expect(await node.evertick.result(id)).toBe('next')
  })

  it('its tx is of no use once it has ended', async () => {
    let kept: { query(text: string): Promise<unknown> } | null = null
    const { database } = await ran(async (ctx) => {
      await ctx.transaction(async (tx) => {
        kept = tx
      })
      await expect(kept?.query(`INSERT INTO orders VALUES ('after')`)).rejects.toMatchObject({
        code: 'transaction_used',
      })
    })
    expect(orders(database)).toEqual([])
  })
})

describe('exactly once', () => {
  const order = (clock: ManualClock, crash: 'before' | 'after', refused: unknown[] = []) =>
    defineJob({
      name: 'job',
      async run(context) {
        if (context.attempt === 1 && crash === 'before') await clock.sleep(60_000)
        try {
          await context.transaction((tx) => tx.sql`INSERT INTO orders VALUES (${context.idempotencyKey})`)
        } catch (error) {
          refused.push((error as { code?: unknown }).code)
          throw error
        }
        if (context.attempt === 1 && crash === 'after') await lasting(clock, 60_000)(context)
      },
    })

  it('a crash right after it does not run it again', async () => {
    const database = databaseFile()
    const [frozen, clock] = [new ManualClock(t0), new ManualClock(t0 + 60_000)]
    database.sql('SELECT 1')
    const crashed = await openNode({
      database: database.url,
      clock: frozen,
      leader,
      jobs: [order(frozen, 'after')],
    })
    database.sql('CREATE TABLE orders (name TEXT)')
    const { id } = await crashed.evertick.enqueue('job')
    await crashed.advance('1s')
    const node = await openNode({ database: database.url, clock, leader, jobs: [order(clock, 'after')] })
    await node.advance('1m')
    expect(orders(database)).toEqual([id])
    expect(await node.evertick.executions.get(id)).toMatchObject({ state: 'completed', attempt: 1 })
  })

  it('a zombie that wakes before its transaction is refused: the second worker’s order stands', async () => {
    const database = databaseFile()
    const [frozen, clock] = [new ManualClock(t0), new ManualClock(t0 + 60_000)]
    const refused: unknown[] = []
    const zombie = await openNode({
      database: database.url,
      clock: frozen,
      leader,
      jobs: [order(frozen, 'before', refused)],
    })
    database.sql('CREATE TABLE orders (name TEXT)')
    const { id } = await zombie.evertick.enqueue('job')
    await zombie.advance('1s')
    const node = await openNode({ database: database.url, clock, leader, jobs: [order(clock, 'before')] })
    await node.advance('30s')
    expect(orders(database)).toEqual([id])
    await zombie.advance('2m')
    expect(refused).toEqual(['stale_lease'])
    expect(orders(database)).toEqual([id])
    const execution = await node.evertick.executions.get(id)
    expect(execution).toMatchObject({ state: 'completed', attempt: 2, leasedBy: node.evertick.nodeId })
    expect(execution.attempts.map((tryOf) => tryOf.outcome)).toEqual(['crashed', 'refused', 'completed'])
  })

  it('a zombie’s transaction is refused also while the second worker still runs', async () => {
    const database = databaseFile()
    const [frozen, clock] = [new ManualClock(t0), new ManualClock(t0 + 60_000)]
    const refused: unknown[] = []
    const job = (own: ManualClock) =>
      defineJob({
        name: 'job',
        async run({ attempt, transaction }) {
          await own.sleep(40_000)
          const order = transaction((tx) => tx.sql`INSERT INTO orders VALUES (${`attempt ${attempt}`})`)
          await order.catch((error: { code?: unknown }) => void refused.push(error.code))
        },
      })
    const options = { database: database.url, leader }
    const zombie = await openNode({ ...options, clock: frozen, jobs: [job(frozen)] })
    database.sql('CREATE TABLE orders (name TEXT)')
    await zombie.evertick.enqueue('job')
    await zombie.advance('1s')
    const node = await openNode({ ...options, clock, jobs: [job(clock)] })
    await node.advance('20s')
    await zombie.advance('1m')
    expect(refused).toEqual(['stale_lease'])
    expect(orders(database)).toEqual([])
    await node.advance('1m')
    expect(orders(database)).toEqual(['attempt 2'])
  })

  it('a chain of catch-ups with transactions keeps its pace', async () => {
    const database = databaseFile()
    const clock = new ManualClock(t0)
    const job = defineJob({
      name: 'job',
      schedule: { every: '10m' },
      catchUp: 'all',
      run: ({ scheduledFor, transaction }) =>
        transaction((tx) => tx.sql`INSERT INTO orders VALUES (${scheduledFor.toISOString()})`),
    })
    const first = await openNode({ database: database.url, clock, jobs: [job] })
    database.sql('CREATE TABLE orders (name TEXT)')
    await first.stop()
    clock.moveTo(t0 + 20.5 * 600_000)
    const node = await openNode({ database: database.url, clock, jobs: [job] })
    await node.advance('3s')
    expect(statesOf(await node.executions(job))).toEqual({ completed: 20 })
    expect(new Set(orders(database)).size).toBe(20)
  })
})
