/** One contender on a database of its own, for the length of one run. */
import { sleep } from '../measure.ts'
import type { Contender, OpenQueue } from './contender.ts'
import { TookTooLong, within } from './limits.ts'
import type { Stores } from './stores.ts'

const openMs = 60_000
const closeMs = 30_000
const partMs = 100

export async function withQueue<T>(
  stores: Stores,
  contender: Contender,
  concurrency: number,
  say: (line: string) => void,
  work: (queue: OpenQueue) => Promise<T>,
): Promise<T> {
  const scratch = await (await stores.get(contender.store)).scratch()
  try {
    const opening = contender.open({ url: scratch.url, concurrency })
    const queue = await within(openMs, `opening ${contender.name}`, opening)
    try {
      return await work(queue)
    } finally {
      const closed = within(closeMs, `closing ${contender.name}`, queue.close())
      await closed.catch((error: unknown) => {
        // The figure is taken by then; what is left open ends with its database.
        if (!(error instanceof TookTooLong)) throw error
        say(`  ${error.message}`)
      })
    }
  } finally {
    // A server notices a moment later that a connection was closed; dropped before, its database would break it.
    await sleep(partMs)
    await scratch.drop()
  }
}
