/** SIGINT and SIGTERM, while somebody listens for them. */

const names = ['SIGINT', 'SIGTERM'] as const

export interface StopSignals {
  readonly first: Promise<NodeJS.Signals>
  /** Leaves them to their default again. */
  off(): void
}

/** `onAgain` hears every signal after the first: left to its default, it would end the process with all its leases held. */
export function stopSignals(onAgain: () => void): StopSignals {
  const { promise: first, resolve } = Promise.withResolvers<NodeJS.Signals>()
  let heard = 0
  const onSignal = (signal: NodeJS.Signals) => {
    heard += 1
    if (heard > 1) onAgain()
    resolve(signal)
  }
  for (const name of names) process.on(name, onSignal)
  return {
    first,
    off: () => {
      for (const name of names) process.off(name, onSignal)
    },
  }
}
