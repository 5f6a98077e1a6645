/** No-op jobs, 50 at once: from the start of the worker until its store says that all are done. */
import type { EngineName } from '../../engines/engine.ts'
import { rate, sleep } from '../../measure.ts'
import { withSchema } from '../../scratch-database.ts'
import type { Contender, OpenQueue } from '../contender.ts'
import { drainConcurrency as concurrency, drainWay } from '../report/ways.ts'
import type { Stores } from '../stores.ts'
import { inTurn, type Turn } from '../turns.ts'
import { withQueue } from '../with-queue.ts'
import { counted, type PeerMeasure, type Sizes } from './measure.ts'
import { rawLabels, storesOfOurs } from './raw.ts'

const bulk = 1_000
const callers = 50
/** What a busy worker of ours writes at once. */
const rawBatch = 500
/** How often the store is asked, once every handler was called: asking it before would take from what is measured. */
const lookEveryMs = 2

export const drain: PeerMeasure = async ({ stores, contenders, sizes, say }) => {
  const way = { of: drainWay, unit: 'jobs/s', better: 'more' } as const
  const turns = [
    ...contenders.map((contender) => peerTurn(stores, contender, sizes, say)),
    ...storesOfOurs(contenders).map((store) => rawTurn(stores, store, sizes)),
  ]
  return await inTurn(way, turns, sizes.rounds, say)
}

function peerTurn(stores: Stores, contender: Contender, sizes: Sizes, say: (line: string) => void): Turn {
  const { name, library, store } = contender
  const jobs = Math.min(sizes.drainJobs, contender.drainJobs ?? sizes.drainJobs)
  return {
    who: name,
    library,
    store,
    size: counted(jobs, 'jobs'),
    run: (note) =>
      withQueue(stores, contender, concurrency, say, async (queue) => {
        await fill(queue, jobs)
        const { done, elapsedMs } = await drained(queue, jobs, sizes.drainMs)
        if (done < jobs) note(`${counted(done, 'jobs')} of ${jobs.toLocaleString('en')} within its limit`)
        return (done * 1_000) / elapsedMs
      }),
  }
}

async function fill(queue: OpenQueue, jobs: number): Promise<void> {
  if (queue.enqueueMany !== undefined) {
    for (let from = 0; from < jobs; from += bulk) {
      const numbers = Array.from({ length: Math.min(bulk, jobs - from) }, (_, n) => from + n)
      await queue.enqueueMany(numbers)
    }
    return
  }
  let next = 0
  const caller = async () => {
    while (next < jobs) await queue.enqueue(next++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

async function drained(
  queue: OpenQueue,
  jobs: number,
  limitMs: number,
): Promise<{ done: number; elapsedMs: number }> {
  let called = 0
  const all = Promise.withResolvers<void>()
  const giveUp = setTimeout(all.resolve, limitMs)
  const startedAt = performance.now()
  await queue.work((count) => {
    called += count
    if (called >= jobs) all.resolve()
  })
  await all.promise
  clearTimeout(giveUp)
  let left = await queue.unfinished()
  while (left > 0 && performance.now() - startedAt < limitMs) {
    await sleep(lookEveryMs)
    left = await queue.unfinished()
  }
  return { done: jobs - left, elapsedMs: performance.now() - startedAt }
}

function rawTurn(stores: Stores, store: EngineName, { drainJobs }: Sizes): Turn {
  return {
    who: rawLabels[store],
    library: 'raw',
    store,
    size: counted(drainJobs, 'jobs'),
    run: async () =>
      await withSchema(await stores.engine(store), async ({ raw }) => {
        await raw.insert(drainJobs, Math.min(bulk, drainJobs))
        return await rate(drainJobs, () => raw.drain(rawBatch))
      }),
  }
}
