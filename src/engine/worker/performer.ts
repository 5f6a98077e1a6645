/** Performs one claimed execution in its slot: waits for its instant, runs its handler, has its end written. */
import { type Ending, endingOf } from '../../core/attempt/outcome.ts'
import type { ClaimedExecution, FinishedAttempt } from '../../store/store.ts'
import type { EngineContext } from '../context.ts'
import type { ExecutionEvent } from '../events.ts'
import { logFailure } from './failure-line.ts'
import type { Finisher } from './finisher.ts'
import type { Held } from './held.ts'
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

  async perform({ claim, held }: Reserved): Promise<void> {
    const { clock, events } = this.#context
    // Never early, though a timer may ring a millisecond before its time. By the clock that claimed it, it is due this
    // soon; one that was set back since is not waited for.
    const due = clock.monotonic() + Math.min(earlyMs, claim.readyAt - clock.now())
    for (let left = due - clock.monotonic(); left > 0; left = due - clock.monotonic()) {
      await new Promise<void>((resolve) => clock.timer(left, resolve))
    }
    const event = eventOf(claim)
    events.emit('execution:started', event)
    const startedAt = clock.now()
    if (claim.place !== null) held.unnotedSince = startedAt
    this.#running += 1
    const ran = await this.#parts.runner.run(claim, held)
    this.#running -= 1
    const finishedAt = clock.now()
    const durationMs = finishedAt - startedAt
    this.#meanMs = this.#meanMs === null ? durationMs : this.#meanMs * 0.9 + durationMs * 0.1
    this.#takeOver(claim, held, ran, { event, startedAt, finishedAt })
  }

  /** Ends an attempt without an outcome: it does not count. Whatever its handler writes later, the fence keeps harmless. */
  async giveBack({ claim, held }: Reserved, afterMs: number): Promise<void> {
    const { finisher, keeper } = this.#parts
    const now = this.#context.clock.now()
    const ending = this.#endingOf(claim, { kind: 'snooze', afterMs })
    await finisher.finish(finishedOf(claim, ending, { startedAt: now, finishedAt: now }))
    keeper.letGo(held)
  }

  /** Writes the end without keeping the slot waiting for it. */
  #takeOver(
    claim: ClaimedExecution,
    held: Held,
    ran: Ran,
    at: { event: ExecutionEvent; startedAt: number; finishedAt: number },
  ): void {
    const { keeper, finisher } = this.#parts
    const durationMs = at.finishedAt - at.startedAt
    if (ran.kind === 'committed') {
      keeper.letGo(held)
      this.#context.events.emit('execution:completed', { ...at.event, result: ran.result, durationMs })
      return
    }
    const ending = this.#endingOf(claim, ran.outcome)
    void finisher.finish(finishedOf(claim, ending, at)).then((written) => {
      keeper.letGo(held)
      if (written !== null) {
        const told = ran.outcome.kind === 'fail' && ran.outcome.told === true
        if (!told) logFailure(this.#context.logger, claim, written)
        return this.#tell(at.event, written, durationMs)
      }
      keeper.abort(held, 'lost')
      return this.#context.events.emit('execution:refused', at.event)
    })
  }

  #endingOf(claim: ClaimedExecution, outcome: Extract<Ran, { kind: 'ended' }>['outcome']): Ending {
    const { clock, random } = this.#context
    const { attempt, cause, maxAttempts, nextTickAt } = claim
    const { retry, overlap } = claim.spec
    const tried = { attempt, maxAttempts, cause, retry, overlap, nextTickAt }
    return endingOf(outcome, tried, clock.now(), random())
  }

  #tell(event: ExecutionEvent, ending: Ending, durationMs: number): void {
    const { events } = this.#context
    switch (ending.state) {
      case 'completed':
        return events.emit('execution:completed', { ...event, result: ending.result, durationMs })
      case 'failed':
        return events.emit('execution:failed', { ...event, error: ending.error })
      case 'cancelled':
        return events.emit('execution:cancelled', { ...event, reason: ending.reason })
      default:
        return events.emit('execution:retrying', {
          ...event,
          error: ending.error,
          readyAt: new Date(ending.readyAt),
        })
    }
  }
}

function finishedOf(
  claim: ClaimedExecution,
  ending: Ending,
  { startedAt, finishedAt }: { readonly startedAt: number; readonly finishedAt: number },
): FinishedAttempt {
  const { id, fence, attempt } = claim
  return { id, fence, attempt, claimed: claim, ending, startedAt, finishedAt }
}

function eventOf(claim: ClaimedExecution): ExecutionEvent {
  const { id, jobName, cause, attempt, scheduledFor } = claim
  return { executionId: id, job: jobName, cause, attempt, scheduledFor: new Date(scheduledFor) }
}
