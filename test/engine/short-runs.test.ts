import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, onTestFinished, test } from 'vitest'
import { Batcher } from '../../src/engine/worker/batcher.ts'
import { Evertick } from '../../src/evertick.ts'
import { defineJob, type JobContext } from '../../src/index.ts'
import type { FinishRequest, FinishResult, Store } from '../../src/store/store.ts'

async function opened(
  jobs: readonly ReturnType<typeof defineJob>[],
  concurrency: number,
  wrap: (store: Store) => Store = (store) => store,
): Promise<Evertick> {
  const evertick = await Evertick.openWith(
    { database: 'sqlite::memory:', jobs, queues: { default: { concurrency } } },
    { wrap },
  )
  onTestFinished(() => evertick.stop())
  return evertick
}

test('what a handler enters in its own turn is not for the handlers after it', async () => {
  const current = new AsyncLocalStorage<number>()
  const seen = new Set<number | undefined>()
  const job = defineJob({
    name: 'enters',
    run: (ctx: JobContext<{ n: number }>) => {
      seen.add(current.getStore())
      current.enterWith(ctx.input.n)
    },
  })
  const evertick = await opened([job as never], 10)
  const made = await evertick.enqueueMany(Array.from({ length: 100 }, (_, n) => ({ job, input: { n } })))
  await evertick.start()
  await Promise.all(made.map(({ id }) => evertick.result(id)))
  expect([...seen]).toEqual([undefined])
})

test('a copy of ctx, and an object that inherits from it, have its signal and everything else', async () => {
  const found: { keys?: string[]; same?: boolean } = {}
  const job = defineJob({
    name: 'copies',
    run: (ctx) => {
      const copy = { ...ctx }
      found.keys = Object.keys(copy)
      found.same = copy.signal === ctx.signal && (Object.create(ctx) as JobContext).signal === ctx.signal
    },
  })
  const evertick = await opened([job], 1)
  await evertick.start()
  await evertick.result((await evertick.enqueue(job)).id)
  expect(found.same).toBe(true)
  expect(found.keys?.sort()).toEqual([
    'attempt',
    'caughtUp',
    'cause',
    'definition',
    'enqueue',
    'executionId',
    'idempotencyKey',
    'input',
    'job',
    'lateness',
    'log',
    'metadata',
    'progress',
    'scheduledFor',
    'secrets',
    'signal',
    'sleep',
    'step',
    'transaction',
    'waitFor',
  ])
})

test('handlers do not run ahead of a database that is slow to take their ends', async () => {
  const count = 5_000
  let ran = 0
  const job = defineJob({ name: 'quick', run: () => void (ran += 1) })
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = (store: Store): Store => {
    const finishAttempts = async (request: FinishRequest): Promise<FinishResult> => {
      await released
      return await store.work.finishAttempts(request)
    }
    return { ...store, work: { ...store.work, finishAttempts } }
  }
  const evertick = await opened([job], 10, slow)
  const made = await evertick.enqueueMany(Array.from({ length: count }, () => ({ job })))
  await evertick.start()
  // Nothing begins any more: in memory, what could go on would go on within a few turns.
  for (let still = 0; still < 100; ) {
    const before = ran
    await new Promise((resolve) => setImmediate(resolve))
    still = ran > before || ran === 0 ? 0 : still + 1
  }
  expect(ran).toBeLessThan(count / 2)
  release()
  await Promise.all(made.map(({ id }) => evertick.result(id)))
  expect(ran).toBe(count)
})

test('an event is told to whoever listens to its channel, also where no listener is on the node', async () => {
  const told: unknown[] = []
  const listener = (event: unknown) => void told.push(event)
  const job = defineJob({ name: 'told', run: () => 'done' })
  const evertick = await opened([job], 1)
  await evertick.start()
  for (const name of ['evertick:execution:started', 'evertick:execution:completed']) {
    subscribe(name, listener)
    onTestFinished(() => void unsubscribe(name, listener))
  }
  const { id } = await evertick.enqueue(job)
  await evertick.result(id)
  expect(told).toMatchObject([{ executionId: id }, { executionId: id, result: 'done' }])
})

test('what one item throws when it is settled does not keep the others waiting', async () => {
  const thrown: unknown[] = []
  const defer = (callback: () => void) =>
    void setImmediate(() => {
      try {
        callback()
      } catch (error) {
        thrown.push(error)
      }
    })
  const batcher = new Batcher<{ id: string; fence: number }>({ defer }, async () => new Set(['refused']))
  const failure = new Error('a logger that throws')
  const settled: unknown[] = []
  batcher.add({ id: 'first', fence: 1 }, () => {
    throw failure
  })
  batcher.add({ id: 'refused', fence: 1 }, (ours) => settled.push(ours))
  batcher.add({ id: 'last', fence: 1 }, (ours) => settled.push(ours))
  await batcher.idle()
  expect(settled).toEqual([false, true])
  expect(thrown).toEqual([failure])
})
