/** Something that this worker has claimed: running, or reserved for a slot. */
import type { ReadUsage, Usage } from '../../core/attempt/usage.ts'
import { EvertickError } from '../../core/error.ts'
import type { Step } from '../../core/execution/step.ts'
import { type Redact, withoutSecrets } from '../../core/job/secret-values.ts'
import type { Claim } from '../../store/store.ts'
import type { RunningAttempt } from './handler.ts'

export type StopReason = 'cancel' | 'timeout' | 'lost' | 'shutdown'

/** Most runs have none. */
const noTimers: readonly (() => void)[] = []
const noSecrets: readonly string[] = []

export class Held implements Claim, RunningAttempt {
  readonly id: string
  readonly fence: number
  leasedUntil: number
  /** Since when its handler runs, while its own row does not say so. */
  unnotedSince: number | null = null
  /** Its memos, where they were read before its instant. */
  memos: Promise<readonly Step[]> | null = null
  #stopReason: StopReason | null = null
  #controller: AbortController | null = null
  #timers: readonly (() => void)[] = noTimers
  #ended = false
  #secrets: readonly string[] = noSecrets
  #redact: Redact | null = null
  /** Null where nobody can tell, as of a function that runs in the node. */
  #readUsage: ReadUsage | null = null

  constructor(claim: Claim, leasedUntil: number) {
    this.id = claim.id
    this.fence = claim.fence
    this.leasedUntil = leasedUntil
  }

  get stopReason(): StopReason | null {
    return this.#stopReason
  }

  /** Created on first use: most handlers never ask for it, and it costs more than a short run. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#stopReason !== null) this.#controller.abort(stopError(this.id, this.#stopReason))
    return this.#controller.signal
  }

  hide(secrets: readonly string[]): void {
    const others = secrets.filter((secret) => !this.#secrets.includes(secret))
    if (others.length === 0) return
    this.#secrets = [...this.#secrets, ...others]
    this.#redact = withoutSecrets(this.#secrets)
  }

  get hidesSomething(): boolean {
    return this.#redact !== null
  }

  redact(text: string, isCut?: boolean): string {
    return this.#redact?.(text, isCut) ?? text
  }

  measuredBy(usage: ReadUsage): void {
    this.#readUsage = usage
  }

  get usage(): Usage | null {
    return this.#readUsage?.() ?? null
  }

  /** A timer of this attempt, or whatever else goes with it. */
  attach(cancel: () => void): void {
    if (this.#ended) cancel()
    else this.#timers = [...this.#timers, cancel]
  }

  /** The claim has ended; its handler may still run if it ignores its signal. */
  end(): void {
    this.#ended = true
    for (const cancel of this.#timers) cancel()
    this.#timers = noTimers
  }

  /** The first reason stands. */
  stop(reason: StopReason): void {
    if (this.#stopReason !== null) return
    this.#stopReason = reason
    this.#controller?.abort(stopError(this.id, reason))
  }
}

function stopError(id: string, reason: StopReason): EvertickError {
  switch (reason) {
    case 'cancel':
      return new EvertickError('execution_failed', `Execution ${id} was cancelled.`)
    case 'timeout':
      return new EvertickError('timeout', `Execution ${id} took longer than its timeout.`, {
        next: 'Raise the timeout of the job, or make its handler heed ctx.signal.',
      })
    case 'lost':
      return new EvertickError('stale_lease', `The lease of execution ${id} has passed to another worker.`)
    case 'shutdown':
      return new EvertickError('not_running', `The node that ran execution ${id} is stopping.`)
  }
}
