/** Watches one attempt that runs apart: keeps the most that it uses, and says once when that is more than its quota. */
import type { Usage } from '../core/attempt/usage.ts'
import type { EvertickError } from '../core/error.ts'
import type { QuotaSpec } from '../core/job/options.ts'
import { firstUsage, type GroupUsage, groupUsages, hasGroupUsage } from './group-usage.ts'
import { type Looked, lookAt, lookAway } from './looks.ts'
import { overOutput, overQuota } from './quota.ts'
import { type Seen, UsageMeter } from './usage-meter.ts'

/** What runs it. */
export type Watched =
  /** `isWarm`: it has worked for others before. Null: it could not be started. */
  | { readonly group: number | null; readonly isWarm: boolean }
  /** `cpuBeforeMs`: what it had used for others. `ask`: null where it does not say. */
  | { readonly cpuBeforeMs: number; readonly ask: () => Promise<Seen | null> }

export class RunWatch implements Looked {
  readonly group: number | null
  readonly #quota: QuotaSpec
  readonly #onExceeded: () => void
  readonly #meter: UsageMeter
  readonly #ask: (() => Promise<Seen | null>) | null
  #isAsking = false
  #hasEnded = false
  #outputBytes = 0
  /** What it used too much of. */
  exceeded: EvertickError | null = null

  constructor(quota: QuotaSpec, watched: Watched, onExceeded: () => void) {
    this.#quota = quota
    this.#onExceeded = onExceeded
    this.#ask = 'ask' in watched ? watched.ask : null
    this.group = 'group' in watched && hasGroupUsage ? watched.group : null
    this.#meter = new UsageMeter(
      'group' in watched ? this.#before(watched.isWarm) : { cpuMs: watched.cpuBeforeMs },
    )
    if (this.group !== null || this.#ask !== null) lookAt(this)
  }

  get usage(): Usage | null {
    return this.#meter.usage
  }

  end(): void {
    this.#hasEnded = true
    lookAway(this)
  }

  printed(bytes: number): void {
    this.#outputBytes += bytes
    this.#refuse(overOutput(this.#quota, this.#outputBytes))
  }

  look(usage: GroupUsage | undefined): void {
    if (this.#ask !== null) return void this.#askIt(this.#ask)
    if (usage === undefined) return
    this.#meter.see(usage)
    this.#refuse(overQuota(this.#quota, { ...usage, cpuMs: this.#meter.cpuSince(usage.cpuMs) }))
  }

  /**
   * Where it has done its work: that stands, whatever its quota. Of a group only its first process, with whatever that has
   * waited for: a look at all would read every process there is.
   */
  lookLast(): void {
    const usage = this.group === null ? undefined : firstUsage(this.group)
    if (usage !== undefined) this.#meter.see(usage)
  }

  /** What it said of itself. */
  said(seen: Seen): void {
    this.#meter.see(seen)
  }

  /** A look that it does not answer, inside a call of the system, is waited for before the next. */
  async #askIt(ask: () => Promise<Seen | null>): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    const seen = await ask()
    this.#isAsking = false
    // It may be at work for another run by now.
    if (seen !== null && !this.#hasEnded) this.#meter.see(seen)
  }

  /** A quota of CPU time ends what goes beyond it: for that, nothing of what an earlier run has left behind may count. */
  #before(isWarm: boolean): GroupUsage | undefined {
    if (!isWarm || this.group === null) return undefined
    if (this.#quota.cpuMs === null) return firstUsage(this.group)
    return groupUsages(new Set([this.group])).get(this.group)
  }

  #refuse(exceeded: EvertickError | null): void {
    if (exceeded === null || this.exceeded !== null) return
    this.exceeded = exceeded
    this.end()
    this.#onExceeded()
  }
}
