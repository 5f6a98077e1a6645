/** Runs one claimed execution: context, time limit, signal; and says how it ended. Whatever a handler does, it returns. */
import type { Outcome } from '../../core/attempt/outcome.ts'
import { EvertickError } from '../../core/error.ts'
import { handlerKey } from '../../core/job/handler.ts'
import { refuseLong } from '../../core/payload.ts'
import type { Aftermath, ClaimedExecution, Transaction } from '../../store/store.ts'
import type { AttemptEnd, EngineContext } from '../context.ts'
import type {
  EnqueueOptions,
  EnqueueResult,
  ExecutionLog,
  Handler,
  JobContext,
  JobReference,
} from './handler.ts'
import type { Held } from './held.ts'
import type { LeaseKeeper } from './lease-keeper.ts'
import { errorFrom, OutcomeSignal, printable } from './outcome-signal.ts'
import { maxLogLines, type Recorder } from './recorder.ts'

export type Ran =
  | { readonly kind: 'ended'; readonly outcome: Outcome }
  /** `ctx.transaction` has completed the execution already. */
  | { readonly kind: 'committed'; readonly result: unknown }

export interface RunnerParts {
  readonly handlers: ReadonlyMap<string, Handler>
  readonly keeper: LeaseKeeper
  readonly recorder: Recorder
  readonly enqueue: (job: JobReference, input: unknown, options?: EnqueueOptions) => Promise<EnqueueResult>
  /** A transaction has moved a lane on. */
  readonly onEnded: (after: Aftermath) => void
}

/** A handler that heeds its signal gets this long to clean up after its timeout. */
const timeoutGraceMs = 5_000
/** What this node no longer can do waits this long for one that can. */
const forgottenMs = 1_000

export class Runner {
  readonly #context: EngineContext
  readonly #parts: RunnerParts

  constructor(context: EngineContext, parts: RunnerParts) {
    this.#context = context
    this.#parts = parts
  }

  async run(claim: ClaimedExecution, held: Held): Promise<Ran> {
    const { traceAttempt } = this.#context
    if (traceAttempt === null) return await this.#run(claim, held)
    return await traceAttempt(claim, (traced) => this.#run(traced, held), endOf)
  }

  async #run(claim: ClaimedExecution, held: Held): Promise<Ran> {
    const attempt = new Attempt(this.#context, this.#parts, claim, held)
    this.#watchTimeout(claim, held)
    try {
      const handler = this.#handler(claim)
      const input = await parsed(handler, claim.input)
      const work = handler.run(attempt.contextFor(input) as JobContext<never>, claim.spec)
      const returned: unknown = await (claim.spec.timeoutMs === null ? work : this.#untilLate(held, work))
      if (attempt.committed !== null) return attempt.committed
      if (returned instanceof OutcomeSignal) return { kind: 'ended', outcome: returned.outcome }
      return { kind: 'ended', outcome: { kind: 'done', result: attempt.keepable(returned) } }
    } catch (thrown) {
      if (attempt.committed !== null) {
        // The transaction has ended the execution; what the handler did afterwards does not matter.
        this.#context.logger.warn(`${claim.jobName} threw after its transaction had completed it`, {
          error: thrown,
          job: claim.jobName,
          executionId: claim.id,
        })
        return attempt.committed
      }
      return { kind: 'ended', outcome: outcomeOf(thrown, held) }
    } finally {
      held.end()
    }
  }

  #handler(claim: ClaimedExecution): Handler {
    const key = handlerKey(claim.spec.handler)
    const handler = this.#parts.handlers.get(key)
    if (handler !== undefined) return handler
    // It was forgotten while its claim was under way: that is not a failure, and another node may have it.
    const why = `This node no longer has a handler "${key}".`
    throw new OutcomeSignal(why, { kind: 'snooze', afterMs: forgottenMs })
  }

  #watchTimeout(claim: ClaimedExecution, held: Held): void {
    const { timeoutMs } = claim.spec
    if (timeoutMs === null) return
    held.attach(this.#context.clock.timer(timeoutMs, () => this.#parts.keeper.abort(held, 'timeout')))
  }

  /** A timed-out handler that ignores its signal is given up: its slot is needed, and its fence keeps it harmless. */
  async #untilLate(held: Held, work: unknown): Promise<unknown> {
    const late = new Promise<never>((_, reject) => {
      const onAbort = () => {
        if (held.stopReason !== 'timeout') return
        held.attach(this.#context.clock.timer(timeoutGraceMs, () => reject(held.signal.reason as Error)))
      }
      // The time may have run out while the input was checked.
      if (held.signal.aborted) onAbort()
      else held.signal.addEventListener('abort', onAbort, { once: true })
    })
    return await Promise.race([work, late])
  }
}

function endOf(ran: Ran): AttemptEnd {
  if (ran.kind === 'committed') return { outcome: 'done', error: null }
  const { outcome } = ran
  return { outcome: outcome.kind, error: 'error' in outcome ? outcome.error : null }
}

/** An input that the schema refuses would be refused again: there is no retry. */
async function parsed(handler: Handler, input: unknown): Promise<unknown> {
  try {
    return await handler.parse(input)
  } catch (thrown) {
    throw failed(thrown)
  }
}

/** No further attempt would help. */
function failed(thrown: unknown): OutcomeSignal {
  const error = errorFrom(thrown)
  return new OutcomeSignal(error.message, { kind: 'fail', error })
}

function outcomeOf(thrown: unknown, held: Held): Outcome {
  if (thrown instanceof OutcomeSignal) return thrown.outcome
  switch (held.stopReason) {
    case 'cancel':
      return { kind: 'cancel', reason: 'operator', note: null }
    case 'shutdown':
      return { kind: 'snooze', afterMs: 0 }
    case 'timeout':
      return { kind: 'error', error: errorFrom(held.signal.reason) }
    case 'lost':
    case null:
      return { kind: 'error', error: errorFrom(thrown) }
  }
}

/** The state of one attempt behind its `ctx`. */
class Attempt {
  readonly #context: EngineContext
  readonly #parts: RunnerParts
  readonly #claim: ClaimedExecution
  readonly #held: Held
  readonly #startedAt: number
  #transactionUsed = false
  #lines = 0
  committed: Extract<Ran, { kind: 'committed' }> | null = null

  constructor(context: EngineContext, parts: RunnerParts, claim: ClaimedExecution, held: Held) {
    this.#context = context
    this.#parts = parts
    this.#claim = claim
    this.#held = held
    this.#startedAt = context.clock.now()
  }

  contextFor(input: unknown): JobContext {
    const claim = this.#claim
    const { caughtUpIndex: index, caughtUpOf: of } = claim
    const held = this.#held
    const log = () => this.#log()
    return {
      input,
      scheduledFor: new Date(claim.scheduledFor),
      lateness: Math.max(0, this.#context.clock.now() - claim.scheduledFor),
      cause: claim.cause,
      caughtUp: index === null || of === null ? null : { index, of },
      attempt: claim.attempt,
      idempotencyKey: claim.idempotencyKey,
      executionId: claim.id,
      job: claim.jobName,
      metadata: claim.metadata,
      get signal() {
        return held.signal
      },
      get log() {
        return log()
      },
      progress: (fraction, note) => this.#progress(fraction, note),
      transaction: (fn) => this.#transaction(fn),
      enqueue: (job, input, options) => this.#parts.enqueue(job, input, options),
    }
  }

  /**
   * A result that is not data does not undo the work: it is dropped, and the log says so. Data that is too long would be
   * lost, so it ends the execution as failed; another try would return the same. What is kept is plain: an object that can
   * be written now, but not a moment later, would fail the ends of its whole batch with it.
   */
  keepable(result: unknown): unknown {
    const written = this.#written(result)
    if (written === null) return null
    try {
      refuseLong(written, 'result', this.#context.maxPayloadBytes)
    } catch (error) {
      throw failed(error)
    }
    return JSON.parse(written)
  }

  #written(result: unknown): string | null {
    try {
      return JSON.stringify(result) ?? null
    } catch (error) {
      this.#log().warn(`The result could not be stored: ${errorFrom(error).message}`)
      return null
    }
  }

  #log(): ExecutionLog {
    const write = (level: keyof ExecutionLog) => (message: string, details?: object) => {
      this.#lines += 1
      if (this.#lines > maxLogLines) return
      const full =
        this.#lines === maxLogLines ? '… more lines were not stored' : withDetails(message, details)
      this.#parts.recorder.log({
        executionId: this.#claim.id,
        at: this.#context.clock.now(),
        level,
        message: full,
      })
    }
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  }

  async #progress(fraction: number, note: string | undefined): Promise<void> {
    if (!(fraction >= 0 && fraction <= 1)) {
      throw new EvertickError('invalid_option', `Progress must be a number from 0 to 1, not ${fraction}.`, {
        field: 'progress',
      })
    }
    const { id, fence, jobName, cause, attempt, scheduledFor } = this.#claim
    const said = note ?? null
    const kept = this.#parts.recorder.progress({
      id,
      fence,
      progress: fraction,
      note: said === null ? null : printable(said),
    })
    this.#context.events.emit('execution:progress', {
      executionId: id,
      job: jobName,
      cause,
      attempt,
      scheduledFor: new Date(scheduledFor),
      progress: fraction,
      note: kept.note,
    })
  }

  async #transaction<T>(fn: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#transactionUsed) {
      throw new EvertickError(
        'transaction_used',
        'ctx.transaction was called a second time in one attempt.',
        {
          next: 'Do all writes in one transaction: it also completes the execution.',
        },
      )
    }
    this.#transactionUsed = true
    await this.#parts.keeper.extendFor(this.#held, this.#context.store.longestHoldMs)
    this.#held.signal.throwIfAborted()
    const result = await this.#completeWithin(fn)
    this.committed = { kind: 'committed', result }
    return result
  }

  async #completeWithin<T>(fn: (tx: Transaction) => Promise<T>): Promise<T> {
    const { store, clock, nodeId } = this.#context
    let written: { readonly value: T } | null = null
    const ending = (value: T) => {
      written = { value }
      return { state: 'completed' as const, result: this.keepable(value) }
    }
    try {
      return await store.work.completeWithin<T>({
        claim: { ...this.#claim, startedAt: this.#startedAt },
        nodeId,
        maxMs: store.longestTransactionMs,
        clock,
        run: fn,
        onEnded: this.#parts.onEnded,
        ending,
      })
    } catch (error) {
      // It may be the reply to COMMIT that was lost, not the commit.
      if (written === null || !(await this.#isCompleted())) throw error
      this.#parts.onEnded({ releases: [], opened: true })
      return (written as { readonly value: T }).value
    }
  }

  async #isCompleted(): Promise<boolean> {
    const { id, fence } = this.#claim
    try {
      const execution = await this.#context.store.executions.findExecution(id)
      return execution?.fence === fence && execution.state === 'completed'
    } catch {
      // The error of the commit says more; a completed execution refuses whatever is written for it next.
      return false
    }
  }
}

function withDetails(message: string, details: object | undefined): string {
  if (details === undefined) return printable(message)
  try {
    return `${printable(message)} ${JSON.stringify(details)}`
  } catch {
    return printable(message)
  }
}
