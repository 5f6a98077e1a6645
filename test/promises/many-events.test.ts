/** Keys that stand for many events: what runs of them, and what is said of it. */
import { expect, it } from 'vitest'
import { defineJob, type EnqueueOptions } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'
import { at, lasting, openNode, t0 } from './support.ts'

/** A job that says what it was given, and takes ten seconds where `slow`. */
function collecting(ran: unknown[], { slow = false, clock = new ManualClock(t0) } = {}) {
  const wait = lasting(clock, 10_000)
  return defineJob({
    name: 'job',
    run: async (ctx) => {
      ran.push(ctx.input)
      if (slow) await wait(ctx)
    },
  })
}

const mail: EnqueueOptions = { unique: { key: 'mail', mode: 'throttle', within: '5m' } }
const newest: EnqueueOptions = { unique: { key: 'doc 7', mode: 'replace' } }
const settled: EnqueueOptions = { unique: { key: 'doc 7', mode: 'debounce', within: '10s', max: '30s' } }

it('one mail per five minutes, however many events there are', async () => {
  const ran: unknown[] = []
  const node = await openNode({ jobs: [collecting(ran)] })
  const first = await node.evertick.enqueue('job', 0, mail)
  for (let minute = 1; minute < 11; minute += 1) {
    await node.advance('1m')
    await node.evertick.enqueue('job', minute, mail)
  }
  await node.settle()
  expect(ran).toEqual([0, 5, 10])
  expect((await node.evertick.executions.get(first.id)).standsFor).toMatchObject({
    mode: 'throttle',
    key: 'mail',
    events: 5,
    firstAt: at(0),
    lastAt: at(240),
    until: at(300),
  })
})

it('only the newest runs of what waits, and what comes during a run is run after it', async () => {
  const ran: unknown[] = []
  const clock = new ManualClock(t0)
  const node = await openNode({ clock, jobs: [collecting(ran, { slow: true, clock })] })
  await node.evertick.queues.pause('default')
  const first = await node.evertick.enqueue('job', 1, newest)
  expect(await node.evertick.enqueue('job', 2, newest)).toEqual({
    id: first.id,
    created: false,
    replaced: true,
  })
  await node.evertick.queues.resume('default')
  await node.advance('1s')
  const [third, fourth] = await node.evertick.enqueueMany([
    { job: 'job', input: 3, options: newest },
    { job: 'job', input: 4, options: newest },
  ])
  expect(third?.created).toBe(true)
  expect(fourth).toEqual({ id: third?.id, created: false, replaced: true })
  await node.advance('1m')
  expect(ran).toEqual([2, 4])
})

it('a debounced key runs once it is quiet, and at most so long after the first event', async () => {
  const ran: unknown[] = []
  const node = await openNode({ jobs: [collecting(ran)] })
  const { id } = await node.evertick.enqueue('job', 0, settled)
  for (let second = 8; second <= 24; second += 8) {
    await node.advance('8s')
    await node.evertick.enqueue('job', second, settled)
  }
  expect(ran).toEqual([])
  expect(await node.evertick.why(id)).toMatchObject({
    reason: 'put_off',
    sentence: '4 events of the key "doc 7" have put it off: it is due in 6s.',
  })
  await node.advance('5s')
  expect(ran).toEqual([])
  await node.advance('1s')
  expect(ran).toEqual([24])
})

it('v1 v2 v1 never happens: a retry that a newer event has followed is cancelled', async () => {
  const ran: unknown[] = []
  const job = defineJob({
    name: 'job',
    retry: { attempts: 3, base: '10s' },
    run: ({ input }) => {
      ran.push(input)
      if (input === 'v1') throw new Error('no')
    },
  })
  const node = await openNode({ jobs: [job] })
  const first = await node.evertick.enqueue('job', 'v1', newest)
  await node.advance('1s')
  await node.evertick.enqueue('job', 'v2', newest)
  await node.advance('10m')
  expect(ran).toEqual(['v1', 'v2'])
  expect(await node.evertick.executions.get(first.id)).toMatchObject({
    state: 'cancelled',
    cancelReason: 'replaced',
  })
})

it('a handler enqueues under its own key: that one runs after it', async () => {
  const ran: unknown[] = []
  const job = defineJob<number>({
    name: 'job',
    run: async (ctx) => {
      ran.push(ctx.input)
      if (ctx.input < 3) await ctx.enqueue('job', ctx.input + 1, newest)
    },
  })
  const node = await openNode({ jobs: [job] })
  await node.evertick.enqueue(job, 1, newest)
  await node.settle()
  expect(ran).toEqual([1, 2, 3])
})

it('`keep` in words is the key as a text', async () => {
  const node = await openNode({ jobs: [collecting([])] })
  const first = await node.evertick.enqueue('job', 1, { runAt: at(60), unique: { key: 'k', mode: 'keep' } })
  expect(await node.evertick.enqueue('job', 2, { unique: 'k' })).toEqual({ id: first.id, created: false })
})
