/** A process whose time passes faster for its connections: deadlines and pauses of a minute are seen in seconds. */
import { type Host, processHost } from '../../src/store/host.ts'

export interface FastHost extends Host {
  /** As if so much time had passed in which nothing happened. */
  skip(ms: number): void
}

export function fastHost(times: number): FastHost {
  let skipped = 0
  return {
    ...processHost,
    sleep: (ms) => processHost.sleep(ms / times),
    timer: (ms, callback) => processHost.timer(ms / times, callback),
    monotonic: () => processHost.monotonic() * times + skipped,
    skip: (ms) => {
      skipped += ms
    },
  }
}
