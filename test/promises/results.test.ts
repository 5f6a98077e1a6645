/** A job may say what its result is: a run that returns something else has not succeeded, whatever it reports. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { handlerOf } from '../../src/app/job/define-job.ts'
import { defineJob, type JobContext, outcome } from '../../src/index.ts'
import { ManualClock, runJob } from '../../src/testing/index.ts'
import { databaseFile, openNode, t0 } from './support.ts'

const imported = z.object({ rows: z.number().positive() })
/** Takes text, gives a number, and asks somebody else first. */
const counted = z
  .string()
  .refine(async (text) => await Promise.resolve(text !== ''))
  .transform(Number)

/** Enqueues a job once, lets a minute pass, and tells what became of it. */
async function ran(job: ReturnType<typeof defineJob>, database = databaseFile()) {
  const told: unknown[] = []
  const node = await openNode({ database: database.url, jobs: [job] })
  node.evertick.on('execution:completed', ({ result }) => void told.push(result))
  const { id } = await node.evertick.enqueue('job')
  await node.advance('1m')
  return { database, told, execution: await node.evertick.executions.get(id) }
}

describe('a result that does not fit', () => {
  it('fails the attempt, which is tried again: the next answer may fit', async () => {
    const run = ({ attempt }: JobContext) => ({ rows: attempt === 1 ? 0 : 7 })
    const { execution } = await ran(defineJob({ name: 'job', result: imported, run }))
    expect(execution).toMatchObject({ state: 'completed', attempt: 2, result: { rows: 7 } })
    expect(execution.attempts).toMatchObject([
      { outcome: 'error', error: { name: 'EvertickError', code: 'invalid_result' } },
      { outcome: 'completed', error: null },
    ])
  })

  it.each([
    [{ rows: 0 }, 'rows: Too small: expected number to be >0 (it was 0)'],
    [{ rows: ['a'] }, 'rows: Invalid input: expected number, received array (it was ["a"])'],
    [{}, 'rows: Invalid input: expected number, received undefined'],
    ['done', 'Invalid input: expected object, received string (it was done)'],
    [undefined, 'Invalid input: expected object, received undefined'],
  ])('%j: the error names the field and what it was', async (returned, why) => {
    const job = defineJob({ name: 'job', retry: { attempts: 2 }, result: imported })
    const { execution } = await ran(job.handle(() => returned as never))
    expect(execution).toMatchObject({ state: 'failed', attempt: 2, result: null })
    expect(execution.error).toMatchObject({
      code: 'invalid_result',
      message: `The result of job "job" is not valid: ${why}`,
    })
  })

  it('is told in short, and without secrets', async () => {
    const result = z.object({ from: z.string().max(10) })
    const from = `postgres://app:hunter2@db/app?${'x'.repeat(1_000)}`
    const { error } = await runJob(defineJob({ name: 'job', result, run: () => ({ from }) }))
    expect(error?.message).toContain('(it was postgres://')
    expect(error?.message).not.toContain('hunter2')
    expect(error?.message.length).toBeLessThan(400)
  })

  it('of a run that was cancelled is no failure', async () => {
    const clock = new ManualClock(t0)
    const run = async ({ signal }: JobContext) => {
      await clock.sleep(60_000, signal)
      return { rows: 0 }
    }
    const node = await openNode({ clock, jobs: [defineJob({ name: 'job', result: imported, run })] })
    const { id } = await node.evertick.enqueue('job')
    await node.advance('1s')
    await node.evertick.executions.cancel(id)
    await node.advance('20s')
    expect(await node.evertick.executions.get(id)).toMatchObject({ state: 'cancelled', attempt: 1 })
  })
})

describe('a result that fits', () => {
  it('is stored and told as the schema gives it, also by a schema that waits', async () => {
    const { execution, told } = await ran(defineJob({ name: 'job', result: counted, run: () => '42' }))
    expect(execution).toMatchObject({ state: 'completed', result: 42 })
    expect(told).toEqual([42])
  })

  it('may be left open by an outcome', async () => {
    const run = ({ metadata }: JobContext) => outcome.cancel(`nothing to do ${JSON.stringify(metadata)}`)
    const { execution } = await ran(defineJob({ name: 'job', result: imported, run }))
    expect(execution).toMatchObject({ state: 'cancelled', error: { message: 'nothing to do {}' } })
  })
})

describe('in ctx.transaction', () => {
  const order = (seen: unknown[] = []) =>
    defineJob({ name: 'job', result: counted }).handle(async ({ attempt, transaction }) => {
      const text = await transaction(async (tx) => {
        await tx.sql`INSERT INTO orders VALUES (${attempt})`
        return attempt === 1 ? '' : '42'
      })
      seen.push(text)
      return 'not this'
    })
  const withOrders = () => {
    const database = databaseFile()
    database.sql('CREATE TABLE orders (attempt INTEGER)')
    return database
  }

  it('what does not fit rolls the writes back; what fits is committed with them', async () => {
    const seen: unknown[] = []
    const { database, execution, told } = await ran(order(seen), withOrders())
    expect(database.sql('SELECT attempt FROM orders')).toEqual([{ attempt: 2 }])
    expect(execution).toMatchObject({ state: 'completed', attempt: 2, result: 42 })
    expect(execution.attempts[0]).toMatchObject({ outcome: 'error', error: { code: 'invalid_result' } })
    expect(told).toEqual([42])
    // The handler goes on with what it has returned itself.
    expect(seen).toEqual(['42'])
  })

  it('runJob says the same', async () => {
    const tx = { sql: async () => [], query: async () => [], client: null }
    expect(await runJob(order(), { tx, attempt: 1 })).toMatchObject({
      outcome: 'error',
      error: { code: 'invalid_result' },
    })
    expect(await runJob(order(), { tx, attempt: 2 })).toMatchObject({ outcome: 'done', result: 42 })
  })
})

it('runJob checks and transforms as a node does', async () => {
  const job = defineJob({ name: 'job', input: z.string(), result: counted, run: ({ input }) => input })
  expect(await runJob(job, { input: '42' })).toMatchObject({ outcome: 'done', result: 42 })
  expect(await runJob(job, { input: '' })).toMatchObject({
    outcome: 'error',
    error: { code: 'invalid_result' },
  })
})

it('a job that says nothing of its result pays nothing: what returns at once is no promise', () => {
  expect(
    handlerOf(defineJob({ name: 'job', run: () => 7 }), {} as never)?.run(
      {} as never,
      {} as never,
      {} as never,
    ),
  ).toBe(7)
})

it.each(['input', 'result'])('a definition whose %s is no schema is refused where it is made', (field) => {
  expect(() => defineJob({ name: 'job', [field]: { type: 'object' } })).toThrow(
    expect.objectContaining({ code: 'invalid_definition', field }),
  )
})
