/** A connection that only waits must ask to find out that it is dead: nobody tells it. */
import type { Host } from './host.ts'
import { inTime } from './in-time.ts'

const askEveryMs = 10_000
const answerMs = 5_000

/** Returns the function that ends it. `onDead` is called where no answer comes. */
export function keepAsking(host: Host, ask: () => Promise<unknown>, onDead: () => void): () => void {
  let cancel = () => {}
  const askLater = () => {
    cancel = host.timer(askEveryMs, () => void inTime(host, answerMs, ask()).then(askLater, onDead))
  }
  askLater()
  return () => cancel()
}
