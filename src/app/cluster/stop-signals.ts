/** SIGINT and SIGTERM, while somebody listens for them. What a second signal does is up to the listener. */

const names = ['SIGINT', 'SIGTERM'] as const

export type StopSignal = (typeof names)[number]

export interface StopSignals {
  readonly first: Promise<StopSignal>
  /** Leaves them to their default again. */
  off(): void
}

/** `onAgain` hears every signal after the first: left to its default, it would end the process with all its leases held. */
export function stopSignals(onAgain: (signal: StopSignal) => void): StopSignals {
  const { promise: first, resolve } = Promise.withResolvers<StopSignal>()
  let heard = false
  const listeners = names.map((name) => {
    const onSignal = () => {
      if (heard) return onAgain(name)
      heard = true
      resolve(name)
    }
    return { name, onSignal }
  })
  for (const { name, onSignal } of listeners) process.on(name, onSignal)
  return {
    first,
    off: () => {
      for (const { name, onSignal } of listeners) process.off(name, onSignal)
    },
  }
}

/**
 * For a part of somebody else's process: the first signal stops the part and then ends the process, a second one ends the
 * process at once, as both would without us. `stop` reports its own failures and never rejects. Returns `off`.
 */
export function stopOnSignal(stop: () => Promise<void>): () => void {
  const handOn = (signal: StopSignal) => {
    signals.off()
    // Whoever else listens decides when the process ends: another worker, for example, that is still stopping.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
  }
  const signals = stopSignals(handOn)
  const stopAtFirst = async () => {
    const signal = await signals.first
    await stop()
    handOn(signal)
  }
  void stopAtFirst()
  return () => signals.off()
}
