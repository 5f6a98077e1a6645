/** An idle node begins what it enqueues itself by the same write; everything else is claimed. */
import { expect, onTestFinished, test } from 'vitest'
import { Evertick } from '../../src/evertick.ts'
import { defineJob } from '../../src/index.ts'
import type { Store } from '../../src/store/store.ts'
import { type Verb, wrapVerbs } from '../../src/store/wrap-store.ts'
import { quiet } from '../promises/support.ts'

type Run = Parameters<typeof defineJob>[0]['run']

async function openIdle(run: Run, { concurrency = 10, lose = null as Verb | null } = {}) {
  const calls: Verb[] = []
  let looked = () => {}
  const watch = (store: Store) =>
    wrapVerbs(store, async ({ verb, run: call }) => {
      calls.push(verb)
      const result = await call()
      if (verb === 'claimExecutions') looked()
      if (verb === lose) throw new Error('the connection was lost before the reply')
      return result
    })
  const job = defineJob({ name: 'job', ...(run === undefined ? {} : { run }) })
  const evertick = await Evertick.openWith(
    {
      database: 'sqlite::memory:',
      logger: quiet,
      jobs: [job],
      queues: { default: { concurrency } },
      worker: { lease: '1s' },
      leader: { sweep: '250ms' },
    },
    { wrap: watch },
  )
  onTestFinished(() => evertick.stop())
  const idle = new Promise<void>((resolve) => {
    looked = resolve
  })
  await evertick.start()
  await idle
  // The worker has heard its answer.
  await new Promise<void>((resolve) => setImmediate(resolve))
  return { evertick, job, calls }
}

test('one write enqueues and begins, and nobody has to claim it', async () => {
  const { evertick, job, calls } = await openIdle(() => 'done')
  calls.length = 0
  const { id, created } = await evertick.enqueue(job)
  expect(created).toBe(true)
  expect(await evertick.result(id)).toBe('done')
  const until = calls.slice(0, calls.indexOf('finishAttempts'))
  expect(until.filter((verb) => /enqueue|claim|begin|start/i.test(verb))).toEqual(['enqueueIntoSlot'])
})

test('whoever enqueues is answered before a handler that blocks the process begins', async () => {
  const order: string[] = []
  const { evertick, job } = await openIdle(() => void order.push('handler'))
  const { id } = await evertick.enqueue(job)
  order.push('answered')
  await evertick.result(id)
  expect(order).toEqual(['answered', 'handler'])
})

test('of many that are enqueued at once one has the slot, and the others share a write', async () => {
  const { evertick, job, calls } = await openIdle(() => 'done')
  calls.length = 0
  const made = await Promise.all(Array.from({ length: 50 }, () => evertick.enqueue(job)))
  expect(calls.filter((verb) => verb.startsWith('enqueue')).sort()).toEqual([
    ...Array.from({ length: 49 }, () => 'enqueueExecutions'),
    'enqueueIntoSlot',
  ])
  for (const { id } of made) expect(await evertick.result(id)).toBe('done')
})

test('with every slot taken it waits to be claimed', async () => {
  const busy = Promise.withResolvers<void>()
  const { evertick, job, calls } = await openIdle(() => busy.promise, { concurrency: 1 })
  const first = await evertick.enqueue(job)
  calls.length = 0
  const second = await evertick.enqueue(job)
  expect(calls).not.toContain('enqueueIntoSlot')
  busy.resolve()
  await Promise.all([first, second].map(({ id }) => evertick.result(id)))
})

test.each([{ unique: 'k' }, { runAt: new Date(Date.now() + 3_600_000) }, { queue: 'other' }])(
  'what has a key, an instant or another queue is enqueued as ever: %o',
  async (options) => {
    const { evertick, job, calls } = await openIdle(() => 'done')
    await evertick.enqueue(job, undefined, options)
    expect(calls).toContain('enqueueExecutions')
    expect(calls).not.toContain('enqueueIntoSlot')
  },
)

test('what was written and not heard of is taken back when its lease has run out, and runs', async () => {
  let runs = 0
  const { evertick, job } = await openIdle(
    () => {
      runs += 1
    },
    { lose: 'enqueueIntoSlot' },
  )
  await expect(evertick.enqueue(job)).rejects.toThrow('the connection was lost')
  const [{ id } = { id: '' }] = (await evertick.executions.list({ filter: 'job:job' })).executions
  await evertick.result(id, { timeout: '30s' })
  expect(runs).toBe(1)
  expect(await evertick.executions.get(id)).toMatchObject({ state: 'completed', attempt: 2 })
})
