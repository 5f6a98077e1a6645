/** The database did it, and nobody heard: what was written is found, and counts as written. */
import { expect, onTestFinished, test } from 'vitest'
import { Evertick } from '../../src/evertick.ts'
import { type Duration, defineJob, type JobContext } from '../../src/index.ts'
import type { Store } from '../../src/store/store.ts'
import { wrapVerbs } from '../../src/store/wrap-store.ts'
import { quiet } from '../promises/support.ts'

type Losable = 'completeWithin' | 'finishAttempts' | 'startAttempts' | 'beginReserved'

/** Loses the reply to the first call of a verb. */
class LostReply {
  lost = false
  readonly #verb: Losable

  constructor(verb: Losable) {
    this.#verb = verb
  }

  wrap(store: Store): Store {
    return wrapVerbs(store, async ({ verb, run }) => {
      const result = await run()
      if (verb !== this.#verb || this.lost) return result
      this.lost = true
      throw new Error('the connection was lost before the reply')
    })
  }
}

async function open(
  verb: Losable,
  run: (context: JobContext) => unknown,
  { concurrency = 10, ...options }: { concurrency?: number; startDeadline?: Duration } = {},
) {
  const told: string[] = []
  const reply = new LostReply(verb)
  const evertick = await Evertick.openWith(
    {
      database: 'sqlite::memory:',
      logger: quiet,
      queues: { default: { concurrency } },
      jobs: [defineJob({ name: 'job', retry: { attempts: 1 }, ...options, run })],
    },
    { wrap: (store) => reply.wrap(store) },
  )
  onTestFinished(() => evertick.stop())
  for (const event of ['execution:completed', 'execution:failed', 'execution:refused'] as const) {
    evertick.on(event, () => void told.push(event))
  }
  await evertick.start()
  return { evertick, told, reply }
}

test('of a transaction: the handler goes on with its result, and the execution is told as completed', async () => {
  const seen: unknown[] = []
  const { evertick, told, reply } = await open('completeWithin', async (context) => {
    seen.push(await context.transaction(async () => 7))
  })
  const { id } = await evertick.enqueue('job')
  expect(await evertick.result(id)).toBe(7)
  await evertick.stop()
  expect(reply.lost).toBe(true)
  expect({ seen, told }).toEqual({ seen: [7], told: ['execution:completed'] })
})

test('of an end: it is told as completed, once', async () => {
  const { evertick, told, reply } = await open('finishAttempts', () => 7)
  const { id } = await evertick.enqueue('job')
  expect(await evertick.result(id)).toBe(7)
  await evertick.stop()
  expect(reply.lost).toBe(true)
  expect(told).toEqual(['execution:completed'])
})

test('of a rest: it sleeps, and nobody is told that it was refused', async () => {
  const { evertick, told, reply } = await open('finishAttempts', (context) => context.sleep('s', 700))
  const { id } = await evertick.enqueue('job')
  await evertick.result(id)
  await evertick.stop()
  expect(reply.lost).toBe(true)
  expect(told).toEqual(['execution:completed'])
})

test.each([
  // With a deadline, each start asks its own row.
  ['startAttempts', { concurrency: 1, startDeadline: '1h' }],
  ['beginReserved', { concurrency: 1 }],
] as const)(
  'of %s from the reserve: it runs, instead of waiting for its own lease to run out',
  async (verb, options) => {
    const { evertick, told, reply } = await open(verb, () => 7, options)
    // The first runs are timed, and allow a reserve for the others.
    const ids = []
    for (let index = 0; index < 20; index += 1) ids.push((await evertick.enqueue('job')).id)
    for (const id of ids) expect(await evertick.result(id)).toBe(7)
    await evertick.stop()
    expect(reply.lost).toBe(true)
    expect(told).toEqual(ids.map(() => 'execution:completed'))
  },
)
