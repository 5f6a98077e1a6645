/** Performs one claimed execution in its slot: waits for its instant, runs its handler, has its end written. */
import { type Ending, endingOf, type Outcome } from '../../core/attempt/outcome.ts'
import type { Usage } from '../../core/attempt/usage.ts'
import type { ClaimedExecution, FinishedAttempt } from '../../store/store.ts'
import type { EngineContext } from '../context.ts'
import type { ExecutionEvent } from '../events.ts'
import { logFailure } from './failure-line.ts'
import type { Finisher } from './finisher.ts'
import type { LeaseKeeper } from './lease-keeper.ts'
import type { Reserved } from './reserve.ts'
import type { Ran, Runner } from './runner.ts'

export interface PerformerParts {
  readonly runner: Runner
  readonly finisher: Finisher
  readonly keeper: LeaseKeeper
}

/** What becomes ready this soon takes its slot now and starts on time. */
export const earlyMs = 100

export class Performer {
  readonly #context: EngineContext
  readonly #parts: PerformerParts
  /** From the slot to the end of the handler. */
  readonly #performed = new Set<Reserved>()
  #running = 0
  #meanMs: number | null = null

  constructor(context: EngineContext, parts: PerformerParts) {
    this.#context = context
    this.#parts = parts
  }

  /** Executions whose handler is under way. */
  get running(): number {
    return this.#running
  }

  /** A moving mean of run times; null until something has run. */
  get meanMs(): number | null {
    return this.#meanMs
  }

  /**
   * `onFree` is called when its handler has ended. The slot waits for the end to be written only where more ends wait than
   * one flush takes: else a slow disk would let them pile up.
   */
  perform(reserved: Reserved, onFree: () => void): void {
    const { clock } = this.#context
    this.#performed.add(reserved)
    const { readyAt } = reserved.claim
    // Never early, though a timer may ring a millisecond before its time. By the clock that claimed it, it is due this
    // soon; one that was set back since is not waited for.
    const leftMs = Math.min(earlyMs, readyAt - clock.now())
    if (leftMs > 0) this.#startAt(clock.monotonic() + leftMs, reserved, onFree)
    else this.#start(reserved, onFree)
  }

  /** Ends an attempt without an outcome: it does not count. Whatever its handler writes later, the fence keeps harmless. */
  async giveBack({ claim, held }: Reserved, afterMs: number): Promise<void> {
    const { finisher, keeper } = this.#parts
    const now = this.#context.clock.now()
    const ending = this.#endingOf(claim, { kind: 'snooze', afterMs })
    const finished = finishedOf(claim, ending, { startedAt: now, finishedAt: now, usage: held.usage })
    await new Promise((resolve) => finisher.finish(finished, resolve))
    keeper.letGo(held)
  }

  /** Gives back what still runs. */
  async abandon(): Promise<void> {
    await Promise.all([...this.#performed].map((reserved) => this.giveBack(reserved, 0)))
  }

  #startAt(due: number, reserved: Reserved, onFree: () => void): void {
    const { clock } = this.#context
    const left = due - clock.monotonic()
    if (left > 0) clock.timer(left, () => this.#startAt(due, reserved, onFree))
    else this.#start(reserved, onFree)
  }

  #start(reserved: Reserved, onFree: () => void): void {
    const { clock, events } = this.#context
    const { claim, held } = reserved
    if (events.isHeard('execution:started'))
      events.emit('execution:started', { ...eventOf(claim), fence: claim.fence })
    const startedAt = clock.now()
    if (claim.place !== null) held.unnotedSince = startedAt
    this.#running += 1
    const ran = this.#parts.runner.run(claim, held, startedAt)
    // A short handler returns at once: a promise for it would take longer than its run.
    if (!(ran instanceof Promise)) return this.#ended(reserved, ran, startedAt, onFree)
    void ran.then((ended) => this.#ended(reserved, ended, startedAt, onFree))
  }

  #ended(reserved: Reserved, ran: Ran, startedAt: number, onFree: () => void): void {
    this.#running -= 1
    this.#performed.delete(reserved)
    const finishedAt = this.#context.clock.now()
    const durationMs = finishedAt - startedAt
    this.#meanMs = this.#meanMs === null ? durationMs : this.#meanMs * 0.9 + durationMs * 0.1
    if (ran.kind === 'committed') {
      this.#parts.keeper.letGo(reserved.held)
      this.#tell(reserved.claim, { state: 'completed', result: ran.result }, durationMs)
      return onFree()
    }
    const { isBehind } = this.#parts.finisher
    this.#writeEnd(reserved, ran.outcome, { startedAt, finishedAt, onWritten: isBehind ? onFree : null })
    if (!isBehind) onFree()
  }

  #writeEnd(
    { claim, held }: Reserved,
    outcome: Outcome,
    {
      startedAt,
      finishedAt,
      onWritten,
    }: { startedAt: number; finishedAt: number; onWritten: (() => void) | null },
  ): void {
    const { keeper, finisher } = this.#parts
    const ending = this.#endingOf(claim, outcome)
    const finished = finishedOf(claim, ending, { startedAt, finishedAt, usage: held.usage })
    finisher.finish(finished, (written) => {
      keeper.letGo(held)
      onWritten?.()
      if (written === null) {
        keeper.abort(held, 'lost')
        return this.#context.events.emit('execution:refused', eventOf(claim))
      }
      const told = outcome.kind === 'fail' && outcome.told === true
      if (!told) logFailure(this.#context.logger, claim, written)
      return this.#tell(claim, written, finishedAt - startedAt)
    })
  }

  #endingOf(claim: ClaimedExecution, outcome: Outcome): Ending {
    const { clock, random } = this.#context
    const { attempt, cause, maxAttempts, nextTickAt } = claim
    const { retry, overlap, onCrash } = claim.spec
    const tried = { attempt, maxAttempts, cause, retry, overlap, onCrash, nextTickAt }
    return endingOf(outcome, tried, clock.now(), random())
  }

  #tell(claim: ClaimedExecution, ending: Ending, durationMs: number): void {
    const { events } = this.#context
    switch (ending.state) {
      case 'completed': {
        if (!events.isHeard('execution:completed')) return
        return events.emit('execution:completed', { ...eventOf(claim), result: ending.result, durationMs })
      }
      case 'failed':
        return events.emit('execution:failed', { ...eventOf(claim), error: ending.error })
      case 'cancelled':
        return events.emit('execution:cancelled', { ...eventOf(claim), reason: ending.reason })
      default:
        return events.emit('execution:retrying', {
          ...eventOf(claim),
          error: ending.error,
          readyAt: new Date(ending.readyAt),
          state: ending.rest?.state ?? 'retrying',
        })
    }
  }
}

function finishedOf(
  claim: ClaimedExecution,
  ending: Ending,
  {
    startedAt,
    finishedAt,
    usage,
  }: { readonly startedAt: number; readonly finishedAt: number; readonly usage: Usage | null },
): FinishedAttempt {
  const { id, fence, attempt } = claim
  const finished = { id, fence, attempt, claimed: claim, ending, startedAt, finishedAt }
  return usage === null ? finished : { ...finished, usage }
}

function eventOf(claim: ClaimedExecution): ExecutionEvent {
  const { id, jobName, cause, attempt, scheduledFor } = claim
  return { executionId: id, job: jobName, cause, attempt, scheduledFor: new Date(scheduledFor) }
}
