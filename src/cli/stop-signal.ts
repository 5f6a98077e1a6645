/** The first Ctrl-C asks for a graceful stop, the second one exits at once. */
import { type StopSignal, stopSignals } from '../app/cluster/stop-signals.ts'
import { signalExitCodes } from './exit-code.ts'

/** npm forwards a signal that the terminal has already sent: that is one Ctrl-C, not two. */
const sameMs = 500

/** Resolves at the first SIGINT or SIGTERM. */
export async function stopSignal(): Promise<StopSignal> {
  let firstAt = Number.POSITIVE_INFINITY
  const { first } = stopSignals((signal) => {
    if (performance.now() - firstAt > sameMs) process.exit(signalExitCodes[signal])
  })
  const signal = await first
  firstAt = performance.now()
  return signal
}
