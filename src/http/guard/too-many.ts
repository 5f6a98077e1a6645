/** A caller that asks too often gets a 429, with the time to wait. */
import { EvertickError } from '../../core/error.ts'

export class TooMany extends EvertickError {
  readonly waitSeconds: number
  /** The error that it would have got without the limit. */
  readonly denied: EvertickError | null

  constructor(waitSeconds: number, denied: EvertickError | null = null, what = 'Too many requests') {
    super('rate_limited', `${what}: wait ${waitSeconds} s.`, { next: 'Ask less often.' })
    this.waitSeconds = waitSeconds
    this.denied = denied
  }
}
