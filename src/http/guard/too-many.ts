/** A caller that asks too much hears 429, and when to come back. */
import { EvertickError } from '../../core/error.ts'

export class TooMany extends EvertickError {
  readonly waitSeconds: number
  /** What it would have heard, had it not asked so often. */
  readonly denied: EvertickError | null

  constructor(waitSeconds: number, denied: EvertickError | null = null, what = 'Too many requests') {
    super('rate_limited', `${what}: wait ${waitSeconds} s.`, { next: 'Ask less often.' })
    this.waitSeconds = waitSeconds
    this.denied = denied
  }
}
