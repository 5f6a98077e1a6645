/**
 * What the compiler accepts and what it refuses, as a user meets it. Nothing here runs: `npm run types` compiles it, and
 * an error that is expected but does not come is itself an error.
 */
import { z } from 'zod'
import { type Duration, defineConfig, defineJob, type Evertick, nextTicks, outcome } from '../../src/index.ts'
import { openTestNode, runJob } from '../../src/testing/index.ts'

declare const evertick: Evertick
/** Exactly this type: neither wider nor narrower. */
declare function same<T>(): <U extends T>(value: U, ...exact: [T] extends [U] ? [] : [never]) => void

// --- a schema types the producer by its input and the handler by its output ---------------------------------------
const invoice = defineJob({
  name: 'invoice',
  input: z.object({ customer: z.string(), copies: z.coerce.number().default(1) }),
  run: (ctx) => {
    same<string>()(ctx.input.customer)
    same<number>()(ctx.input.copies)
    // @ts-expect-error the schema has no such field
    void ctx.input.amount
  },
})
void evertick.enqueue(invoice, { customer: '42' })
void evertick.enqueue(invoice, { customer: '42', copies: '3' })
// @ts-expect-error a required field is missing
void evertick.enqueue(invoice, {})
// @ts-expect-error a field has the wrong type
void evertick.enqueue(invoice, { customer: 42 })
// @ts-expect-error an input is required
void evertick.enqueue(invoice)
void runJob(invoice, { input: { customer: '42' } })
// @ts-expect-error the same holds for tests
void runJob(invoice, { input: { customer: 42 } })

// --- an input that may be missing may be left out -----------------------------------------------------------------
const greet = defineJob({ name: 'greet', input: z.object({ name: z.string().optional() }).optional() })
void evertick.enqueue(greet)
void evertick.enqueue(greet, { name: 'Ada' })
// @ts-expect-error a field has the wrong type
void evertick.enqueue(greet, { name: 7 })

// --- without a schema ---------------------------------------------------------------------------------------------
const plain = defineJob({ name: 'plain', run: (ctx) => same<unknown>()(ctx.input) })
void evertick.enqueue(plain)
void evertick.enqueue(plain, { anything: true })
const counted = defineJob<number>({ name: 'counted', run: (ctx) => ctx.input.toFixed() })
void evertick.enqueue(counted, 7)
// @ts-expect-error the type argument says a number
void evertick.enqueue(counted, '7')
// @ts-expect-error the type argument says a number
void evertick.enqueue(counted)

// --- by name, nothing is known --------------------------------------------------------------------------------------
void evertick.enqueue('invoice', { customer: 42 }, { priority: 5 })
// @ts-expect-error there is no such option
void evertick.enqueue('invoice', {}, { prio: 5 })

// --- the producer's half and the handler's ---------------------------------------------------------------------------
const half = defineJob({
  name: 'half',
  input: z.object({ at: z.iso.datetime().transform((text) => new Date(text)) }),
})
const whole = half.handle((ctx) => same<Date>()(ctx.input.at))
void evertick.enqueue(half, { at: '2026-01-01T00:00:00Z' })
void evertick.enqueue(whole, { at: '2026-01-01T00:00:00Z' })
// @ts-expect-error a producer passes what the schema takes, not what it gives
void evertick.enqueue(half, { at: new Date() })
half.handle((ctx) => {
  // @ts-expect-error the handler gets a Date
  const text: string = ctx.input.at
  void text
})

// --- a schema types what the handler returns, by its input; an outcome fits always ------------------------------------
const total = defineJob({
  name: 'total',
  input: z.object({ month: z.string() }),
  result: z.object({ rows: z.number(), at: z.string().transform((text) => new Date(text)) }),
})
const answer = { rows: 1, at: '2026-01-01T00:00:00Z' }
const summed = total.handle(() => answer)
total.handle(async (ctx) => (ctx.input.month === '' ? outcome.cancel() : answer))
total.handle((ctx) => ctx.transaction(async () => answer))
// @ts-expect-error a field is missing
total.handle(() => ({ rows: 1 }))
// @ts-expect-error the handler returns what the schema takes, not what it gives
total.handle(async () => ({ rows: 1, at: new Date() }))
// @ts-expect-error nothing is no result
total.handle(() => {})
// @ts-expect-error the same without .handle
defineJob({ name: 'a', result: z.number(), run: () => 'one' })
// @ts-expect-error and in a transaction
defineJob({ name: 'a', result: z.number(), run: (ctx) => ctx.transaction(async () => 'one') })
const state = z.object({ state: z.enum(['ok', 'idle']), pages: z.array(z.number()) })
const read = defineJob({ name: 'read', result: state, run: async () => ({ state: 'ok', pages: [1, 2] }) })
defineJob({ name: 'a', result: state, run: (ctx) => ({ state: 'idle', pages: [ctx.attempt] }) })
defineJob({
  name: 'a',
  result: z.literal('one'),
  run: async (ctx) => (ctx.attempt > 1 ? outcome.retry() : 'one'),
})
// @ts-expect-error no such state
defineJob({ name: 'a', result: state, run: () => ({ state: 'busy', pages: [] }) })
const named = z.object({ id: z.string() })
// @ts-expect-error what may be missing is not what must be there
defineJob({ name: 'a', result: named, run: (ctx) => ({ id: ctx.caughtUp?.of.toFixed() }) })
void evertick.enqueue(summed, { month: '2026-01' })
void runJob(summed, { input: { month: '2026-01' } })

// --- jobs of different inputs go into one list -----------------------------------------------------------------------
defineConfig({ jobs: [invoice, greet, plain, counted, half, whole, summed, read] })
void openTestNode({ jobs: [invoice, whole], start: new Date(0) })
// @ts-expect-error a job is what defineJob returns
defineConfig({ jobs: ['invoice'] })

// --- durations and schedules -----------------------------------------------------------------------------------------
const durations: Duration[] = [250, '250ms', '10s', '15m', '2h', '1d', '1w', '1h30m', '1d2h3m']
// @ts-expect-error no unit
const unitless: Duration = '15'
// @ts-expect-error no such unit
const minutes: Duration = '15 minutes'
defineJob({ name: 'a', schedule: { every: '15m', anchor: 'epoch' }, timeout: '1h30m' })
// @ts-expect-error a schedule is one of its kinds
defineJob({ name: 'a', schedule: { interval: '15m' } })
// @ts-expect-error no such policy
defineJob({ name: 'a', catchUp: 'some' })
// @ts-expect-error no such option
defineJob({ name: 'a', timezone: 'UTC' })
nextTicks({ cron: '0 9 * * *' }, { from: new Date(0), count: 3 })
// @ts-expect-error count is required
nextTicks({ cron: '0 9 * * *' }, { from: new Date(0) })
void [durations, unitless, minutes]

// --- the context and the events --------------------------------------------------------------------------------------
defineJob({
  name: 'context',
  run: async (ctx) => {
    same<Date>()(ctx.scheduledFor)
    same<AbortSignal>()(ctx.signal)
    same<string>()(await ctx.transaction(async (tx) => String((await tx.sql`SELECT ${1} AS n`).length)))
    // @ts-expect-error the context is read-only
    ctx.attempt = 2
  },
})
evertick.on('execution:failed', ({ error }) => same<string>()(error.message))
// @ts-expect-error no such event
evertick.on('execution:exploded', () => {})
