/** A deadline for an answer. A connection whose other end has vanished looks alive until it is asked, and then says nothing. */
import type { Host } from './host.ts'

export class NoAnswer extends Error {
  /** Worded like a socket's error: both dialects take it for a lost connection. */
  readonly code = 'ETIMEDOUT'

  constructor(ms: number) {
    super(`it did not answer within ${ms} ms`)
  }
}

/** What comes later than `ms` is a `NoAnswer`; the connection that was asked is then of no use any more. */
export async function inTime<T>(
  host: Pick<Host, 'timer' | 'defer'>,
  ms: number,
  answer: Promise<T>,
): Promise<T> {
  let cancel = () => {}
  const late = new Promise<never>((_resolve, reject) => {
    // One turn more: in a process that stood still, timers come before the answers that have arrived meanwhile.
    cancel = host.timer(ms, () => host.defer(() => reject(new NoAnswer(ms))))
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    cancel()
  }
}
