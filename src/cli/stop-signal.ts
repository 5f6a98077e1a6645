/** The first Ctrl-C asks for a graceful stop, the second one exits at once. */
import { type StopSignal, signalExitCodes } from './exit-code.ts'

/** npm forwards a signal that the terminal has already sent: that is one Ctrl-C, not two. */
const sameMs = 500

/** Resolves at the first SIGINT or SIGTERM. */
export function stopSignal(): Promise<StopSignal> {
  return new Promise((resolve) => {
    let firstAt: number | null = null
    const onSignal = (signal: NodeJS.Signals) => {
      const now = performance.now()
      if (firstAt === null) {
        firstAt = now
        resolve(signal as StopSignal)
      } else if (now - firstAt > sameMs) {
        process.exit(signalExitCodes[signal as StopSignal])
      }
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
}
