/**
 * Gathers hints for a tenth of a second and lets one per subject through, the newest. However much happens, what comes out
 * of a window is bounded: beyond a count, executions are told of by their job, and jobs no longer by name.
 */

import { type Hint, subjectOf } from '../../app/changes/hint.ts'
import type { Clock } from '../../engine/clock.ts'

const windowMs = 100
/** The limit for one kind in one window. */
const mostNamed = 200

export class Coalescer {
  readonly #clock: Clock
  readonly #flush: (hints: readonly Hint[]) => void
  readonly #waiting = new Map<string, Hint>()
  #executions = 0
  #lanes = 0
  #cancelTimer: (() => void) | null = null

  constructor(clock: Clock, flush: (hints: readonly Hint[]) => void) {
    this.#clock = clock
    this.#flush = flush
  }

  add(hint: Hint): void {
    const kept = this.#bounded(hint)
    const subject = subjectOf(kept)
    if (!this.#waiting.has(subject)) {
      if (kept.type === 'execution' || kept.type === 'lease') this.#executions += 1
      if (kept.type === 'executions' || kept.type === 'job') this.#lanes += 1
    }
    this.#waiting.set(subject, kept)
    this.#cancelTimer ??= this.#clock.timer(windowMs, () => this.#end())
  }

  /** What waits is dropped. */
  stop(): void {
    this.#cancelTimer?.()
    this.#clear()
  }

  #bounded(hint: Hint): Hint {
    if (hint.type === 'leader' || this.#waiting.has(subjectOf(hint))) return hint
    const isExecution = hint.type === 'execution' || hint.type === 'lease'
    if (isExecution && this.#executions < mostNamed) return hint
    if (!isExecution && this.#lanes < mostNamed) return hint
    const byJob: Hint = { type: 'executions', job: hint.job }
    const named = this.#lanes < mostNamed || this.#waiting.has(subjectOf(byJob))
    return named ? byJob : { type: 'executions', job: null }
  }

  #end(): void {
    const hints = [...this.#waiting.values()]
    this.#clear()
    this.#flush(hints)
  }

  #clear(): void {
    this.#waiting.clear()
    this.#executions = 0
    this.#lanes = 0
    this.#cancelTimer = null
  }
}
