/** From the call of enqueue until the handler is called, on a worker that has nothing to do, in the same process. */
import { median, sleep } from '../../measure.ts'
import type { Contender, OpenQueue } from '../contender.ts'
import { within } from '../limits.ts'
import { idleWay } from '../report/ways.ts'
import type { Stores } from '../stores.ts'
import { inTurn, type Turn } from '../turns.ts'
import { withQueue } from '../with-queue.ts'
import type { PeerMeasure, Sizes } from './measure.ts'

const concurrency = 10
/** Long enough for the last end to be written and the worker to wait again. */
const restMs = 20
/** For a worker to have looked once, found nothing, and listen. */
const settleMs = 500
/** Well above the slowest poll. */
const startMs = 30_000

export const idleStart: PeerMeasure = async ({ stores, contenders, sizes, say }) => {
  const way = { of: idleWay, unit: 'ms', better: 'less' } as const
  const turns = contenders.map((contender) => turn(stores, contender, sizes, say))
  return await inTurn(way, turns, sizes.rounds, say)
}

function turn(stores: Stores, contender: Contender, sizes: Sizes, say: (line: string) => void): Turn {
  const { name, library, store } = contender
  const starts = Math.min(sizes.idleStarts, contender.idleStarts ?? sizes.idleStarts)
  return {
    who: name,
    library,
    store,
    size: `${starts * sizes.rounds} starts`,
    run: () =>
      withQueue(stores, contender, concurrency, say, async (queue) =>
        median(await latencies(queue, starts, contender.pollMs ?? 0)),
      ),
  }
}

async function latencies(queue: OpenQueue, starts: number, pollMs: number): Promise<number[]> {
  let begin = () => {}
  await queue.work(() => begin())
  await sleep(settleMs)
  const found: number[] = []
  for (let n = 0; n < starts; n += 1) {
    // Right after a look, each job would wait for the whole time until the next.
    await sleep(restMs + Math.random() * pollMs)
    const begun = new Promise<number>((resolve) => {
      begin = () => resolve(performance.now())
    })
    const startedAt = performance.now()
    await queue.enqueue(n)
    found.push((await within(startMs, 'a start', begun)) - startedAt)
  }
  return found
}
