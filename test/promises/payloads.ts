/** What is too long or odd has one answer, the same on every engine, and costs nobody else anything. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  defineJob,
  Evertick,
  type EvertickError,
  type EvertickOptions,
  type JobContext,
  outcome,
} from '../../src/index.ts'
import { until } from '../process/until.ts'
import { quiet } from './support.ts'

const limit = 1_048_576
const marked = / … \d+ more characters$/

const nested = (depth: number) => {
  let value: unknown = 'deep'
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}
const cyclic = () => {
  const self: { self?: unknown } = {}
  self.self = self
  return self
}

/** Results by name: an input would have to be JSON itself. */
const results: Readonly<Record<string, () => unknown>> = {
  fits: () => 'x'.repeat(limit - 2),
  quotes: () => '"'.repeat(limit / 2 - 1),
  'too long': () => 'x'.repeat(limit - 1),
  'too long in bytes': () => '€'.repeat(limit / 3),
  'far too long': () => 'x'.repeat(17 * limit),
  'too long an object': () => ({ list: Array.from({ length: 200_000 }, (_, n) => `number ${n}`) }),
  nul: () => ({ 'k\0': 'a\0b' }),
  'lone surrogates': () => ['\ud800', '\udc00x'],
  prototype: () => JSON.parse('{"__proto__":{"a":1}}') as unknown,
  'deep but fine': () => nested(1_000),
  'depth 10,000': () => nested(10_000),
  bigint: () => 1n,
  cyclic,
  function: () => () => 1,
  symbol: () => Symbol('s'),
  nothing: () => undefined,
  nan: () => Number.NaN,
}

const long = 'x'.repeat(20 * limit)

const thrown: Readonly<Record<string, () => unknown>> = {
  message: () => {
    throw new Error(long)
  },
  text: () => {
    // oxlint-disable-next-line typescript/only-throw-error
    throw long
  },
  fail: () => outcome.fail(long),
  cancel: () => outcome.cancel(long),
  code: () => {
    throw Object.assign(new Error('short'), { code: long, name: long })
  },
}

/** Progress is of what runs: the one that talks waits until it was read. */
let heard = Promise.withResolvers<void>()

const jobs = [
  defineJob<{ result: string }>({
    name: 'returns',
    run: ({ input }) => results[input.result]?.(),
  }),
  defineJob<{ thrown: string }>({
    name: 'throws',
    retry: { attempts: 1 },
    run: ({ input }) => thrown[input.thrown]?.(),
  }),
  defineJob({
    name: 'talks',
    async run(ctx: JobContext) {
      await ctx.progress(0.5, '😀'.repeat(1_000))
      ctx.log.info('😀'.repeat(10_000))
      ctx.log.info('short')
      await heard.promise
    },
  }),
  defineJob({
    name: 'commits',
    run: async (ctx) =>
      await ctx.transaction(async (tx) => {
        await tx.sql`INSERT INTO witness (id) VALUES (${ctx.executionId})`
        return 'x'.repeat(2 * limit)
      }),
  }),
  defineJob({ name: 'neighbour', run: () => 'done' }),
]

export function describePayloads(
  name: string,
  database: () => Promise<{ readonly url: string; drop(): Promise<void> }>,
  { skip = false } = {},
): void {
  describe.skipIf(skip)(`payloads on ${name}`, () => {
    let place: { readonly url: string; drop(): Promise<void> }
    beforeAll(async () => {
      place = await database()
    }, 60_000)
    afterAll(async () => await place?.drop())

    async function node(options: Partial<EvertickOptions> = {}): Promise<Evertick> {
      const evertick = await Evertick.open({
        database: place.url,
        migrate: true,
        logger: quiet,
        jobs,
        ...options,
      })
      onTestFinished(() => evertick.stop())
      await evertick.start()
      return evertick
    }

    async function ended(evertick: Evertick, job: string, input?: unknown) {
      const { id } = await evertick.enqueue(job, input)
      await evertick.result(id).catch(() => {})
      return await evertick.executions.get(id)
    }

    test('a result that is too long ends its execution as failed with a code, without another try', async () => {
      const evertick = await node()
      for (const result of ['too long', 'too long in bytes', 'far too long', 'too long an object']) {
        expect(await ended(evertick, 'returns', { result })).toMatchObject({
          state: 'failed',
          attempt: 1,
          result: null,
          error: { code: 'invalid_payload' },
        })
      }
    }, 60_000)

    test('a result that just fits is kept, whatever its letters are', async () => {
      const evertick = await node()
      for (const result of ['fits', 'quotes']) {
        const execution = await ended(evertick, 'returns', { result })
        expect(execution.state).toBe('completed')
        expect(execution.result === results[result]?.()).toBe(true)
      }
    }, 60_000)

    test('odd results have one answer', async () => {
      const evertick = await node()
      const kept: Record<string, unknown> = {}
      for (const result of Object.keys(results).slice(6)) {
        const { state, result: value } = await ended(evertick, 'returns', { result })
        kept[result] = state === 'completed' ? JSON.stringify(value) : state
      }
      expect(kept).toEqual({
        nul: '{"k\\u0000":"a\\u0000b"}',
        'lone surrogates': '["\\ud800","\\udc00x"]',
        prototype: '{"__proto__":{"a":1}}',
        'deep but fine': JSON.stringify(nested(1_000)),
        // What JSON cannot write was never data: the work is done, its result is not kept.
        'depth 10,000': 'null',
        bigint: 'null',
        cyclic: 'null',
        function: 'null',
        symbol: 'null',
        nothing: 'null',
        nan: 'null',
      })
    }, 60_000)

    test('nobody waits for those whose result is too long', async () => {
      const evertick = await node()
      const items = Array.from({ length: 60 }, (_, n) =>
        n % 30 === 0 ? { job: 'returns', input: { result: 'far too long' } } : { job: 'neighbour' },
      )
      const made = await evertick.enqueueMany(items)
      const codeOf = (error: unknown) => (error as EvertickError).code
      const states = await Promise.all(made.map(async ({ id }) => await evertick.result(id).catch(codeOf)))
      expect(states).toEqual(items.map(({ job }) => (job === 'neighbour' ? 'done' : 'execution_failed')))
    }, 60_000)

    test('a transaction whose result is too long leaves nothing behind, and is not tried again', async () => {
      const evertick = await node()
      await inTransaction(evertick, 'CREATE TABLE witness (id VARCHAR(64))')
      const execution = await ended(evertick, 'commits')
      expect(execution).toMatchObject({ state: 'failed', attempt: 1, error: { code: 'invalid_payload' } })
      expect(await inTransaction(evertick, 'SELECT id FROM witness')).toEqual([])
    }, 60_000)

    test('errors of any length are kept, cut with a mark', async () => {
      const evertick = await node()
      for (const way of ['message', 'text', 'fail', 'cancel']) {
        const { state, error } = await ended(evertick, 'throws', { thrown: way })
        expect(state).toBe(way === 'cancel' ? 'cancelled' : 'failed')
        expect(error?.message).toMatch(marked)
        expect(error?.message.length).toBeLessThanOrEqual(8_192)
      }
      const { error } = await ended(evertick, 'throws', { thrown: 'code' })
      expect([error?.name, error?.code].map((text) => marked.test(text ?? ''))).toEqual([true, true])
    }, 60_000)

    test('log lines and progress notes are cut with a mark, between characters', async () => {
      const evertick = await node()
      const notes: (string | null)[] = []
      evertick.on('execution:progress', ({ note }) => void notes.push(note))
      heard = Promise.withResolvers()
      const { id } = await evertick.enqueue('talks')
      await until('its lines', async () => (await evertick.executions.logs(id)).length === 2)
      const { progressNote } = await evertick.executions.get(id)
      const [line, short] = (await evertick.executions.logs(id)).map(({ message }) => message)
      heard.resolve()
      expect(short).toBe('short')
      expect(notes).toEqual([progressNote])
      for (const [text, most] of [
        [line, 4_096],
        [progressNote, 1_000],
      ] as const) {
        expect(text).toMatch(marked)
        expect(text?.length).toBeLessThanOrEqual(most)
        expect(text?.isWellFormed()).toBe(true)
      }
    }, 60_000)

    test('inputs and metadata that are too long are refused with a code, and nothing is written', async () => {
      const evertick = await node()
      const input = 'x'.repeat(limit)
      const metadata = { text: input }
      const refusals = [
        ['input', () => evertick.enqueue('neighbour', input)],
        ['metadata', () => evertick.enqueue('neighbour', null, { metadata })],
        ['input', () => evertick.jobs.trigger('neighbour', { input })],
        ['metadata', () => evertick.jobs.trigger('neighbour', { metadata })],
        ['input', () => evertick.jobs.create({ name: 'fresh', input })],
        ['metadata', () => evertick.jobs.create({ name: 'fresh', metadata })],
        ['input', () => evertick.jobs.update('neighbour', { input })],
        ['metadata', () => evertick.jobs.update('neighbour', { metadata })],
      ] as const
      for (const [field, refused] of refusals) {
        await expect(refused()).rejects.toMatchObject({ code: 'invalid_payload', field })
      }
      await expect(evertick.jobs.get('fresh')).rejects.toMatchObject({ code: 'job_not_found' })
      // In bytes, both at their limit, and with nothing but letters that are escaped.
      const most = '"'.repeat(limit / 2 - 1)
      await evertick.jobs.create({ name: 'kept' })
      const { id } = await evertick.enqueue('kept', most, { metadata: { text: most.slice(10) } })
      expect((await evertick.executions.get(id)).metadata).toEqual({ text: most.slice(10) })
    }, 60_000)

    test('the limit can be set', async () => {
      const evertick = await node({ maxPayloadBytes: 2_000 })
      const refused = evertick.enqueue('neighbour', 'x'.repeat(2_000))
      await expect(refused).rejects.toThrow('input is at least 2002 bytes long; at most 2000 are allowed.')
      expect(await ended(evertick, 'returns', { result: 'deep but fine' })).toMatchObject({
        state: 'failed',
        error: { message: 'result is at least 2006 bytes long; at most 2000 are allowed.' },
      })
    }, 60_000)

    async function inTransaction(evertick: Evertick, text: string): Promise<unknown> {
      const job = defineJob({
        name: 'sql',
        run: async (ctx) => await ctx.transaction(async (tx) => await tx.query(text)),
      })
      await evertick.define(job)
      return await evertick.result((await evertick.enqueue('sql')).id)
    }
  })
}
