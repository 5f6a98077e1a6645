/** Enqueue one by one, by 50 callers at once, in bulk. It ends after a number of jobs or a time, so that nobody needs minutes. */
import type { EngineName } from '../../engines/engine.ts'
import { withSchema } from '../../scratch-database.ts'
import type { Contender, OpenQueue } from '../contender.ts'
import type { Entry } from '../report/comparison.ts'
import { bulk, callers, enqueueWays } from '../report/ways.ts'
import type { Stores } from '../stores.ts'
import { inTurn, type Turn } from '../turns.ts'
import { withQueue } from '../with-queue.ts'
import type { PeerMeasure, Sizes } from './measure.ts'
import { rawLabels, storesOfOurs } from './raw.ts'

interface Way {
  readonly of: string
  /** How many jobs one call brings, and how many calls are under way at once. */
  readonly batch: number
  readonly callers: number
  /** How many rows the raw loop commits at once. */
  readonly rawBatch: number
}

const ways: readonly Way[] = [
  { of: enqueueWays.oneByOne, batch: 1, callers: 1, rawBatch: 1 },
  { of: enqueueWays.callers, batch: 1, callers, rawBatch: callers },
  { of: enqueueWays.bulk, batch: bulk, callers: 1, rawBatch: bulk },
]

export const enqueue: PeerMeasure = async ({ stores, contenders, sizes, say }) => {
  const entries: Entry[] = []
  for (const way of ways) {
    const able = contenders.filter(({ bulk }) => way.batch === 1 || bulk !== false)
    const turns = [
      ...able.map((contender) => peerTurn(stores, contender, way, sizes, say)),
      ...storesOfOurs(contenders).map((store) => rawTurn(stores, store, way, sizes)),
    ]
    entries.push(...(await inTurn({ of: way.of, unit: 'jobs/s', better: 'more' }, turns, sizes.rounds, say)))
  }
  return entries
}

function peerTurn(
  stores: Stores,
  contender: Contender,
  way: Way,
  sizes: Sizes,
  say: (line: string) => void,
): Turn {
  const { name, library, store } = contender
  return {
    who: name,
    library,
    store,
    size: '',
    run: () =>
      withQueue(stores, contender, callers, say, async (queue) => {
        // The first call makes connections and plans.
        await queue.enqueue(0)
        return await rateOf(way, sizes, (from) => enqueueOnce(queue, from, way.batch))
      }),
  }
}

async function enqueueOnce(queue: OpenQueue, from: number, batch: number): Promise<void> {
  if (batch === 1) await queue.enqueue(from)
  else await queue.enqueueMany?.(Array.from({ length: batch }, (_, n) => from + n))
}

function rawTurn(stores: Stores, store: EngineName, way: Way, sizes: Sizes): Turn {
  return {
    who: rawLabels[store],
    library: 'raw',
    store,
    size: '',
    run: async () =>
      await withSchema(await stores.engine(store), async ({ raw }) => {
        await raw.insert(1, 1)
        const { rawBatch } = way
        return await rateOf({ batch: rawBatch, callers: 1 }, sizes, () => raw.insert(rawBatch, rawBatch))
      }),
  }
}

/** Jobs per second until there are enough or the time is up. */
async function rateOf(
  { batch, callers }: Pick<Way, 'batch' | 'callers'>,
  { enqueueJobs, enqueueMs }: Sizes,
  call: (from: number) => Promise<void>,
): Promise<number> {
  let next = 0
  const startedAt = performance.now()
  const caller = async () => {
    while (next < enqueueJobs && performance.now() - startedAt < enqueueMs) {
      const from = next
      next += batch
      await call(from)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return (next * 1_000) / (performance.now() - startedAt)
}
