/** The clock of a past that is lived through at once, and then only looked at. */
import { ManualClock } from '../../../src/testing/index.ts'

/** Stands still when that time is over; but how much a caller may ask per second is measured on. */
export class SeedClock extends ManualClock {
  override longestSleepMs = 3 * 3_600_000
  isOver = false

  override monotonic(): number {
    return super.monotonic() + (this.isOver ? performance.now() : 0)
  }
}

/** No node dies under its work here, so that the time need not be full of extensions and sweeps. */
export const calmly = {
  worker: { lease: '12h' },
  leader: { lease: '12h', heartbeat: '3h', sweep: '1h' },
} as const

/** Signs the tokens of whoever looks at it. */
export const secret = 'a-secret-of-the-tests-0123456789-abcdefghij'
