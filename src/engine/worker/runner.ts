/** Runs one claimed execution: context, time limit, signal; and says how it ended. Whatever a handler does, it returns. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Outcome } from '../../core/attempt/outcome.ts'
import { handlerKey } from '../../core/job/handler.ts'
import { withoutSecretsIn } from '../../core/job/secret-values.ts'
import type { Aftermath, ClaimedExecution } from '../../store/store.ts'
import type { Audience } from '../audience.ts'
import type { AttemptEnd, EngineContext } from '../context.ts'
import { Attempt } from './attempt.ts'
import type { EnqueueOptions, EnqueueResult, Handler, JobContext, JobReference } from './handler.ts'
import type { Held } from './held.ts'
import type { LeaseKeeper } from './lease-keeper.ts'
import { errorFrom, failedBy, OutcomeSignal } from './outcome-signal.ts'
import type { Recorder } from './recorder.ts'
import type { Remember } from './steps/memos.ts'
import { TimeLimit } from './time-limit.ts'

export type Ran =
  | { readonly kind: 'ended'; readonly outcome: Outcome }
  /** `ctx.transaction` has completed the execution already. */
  | { readonly kind: 'committed'; readonly result: unknown }

export interface RunnerParts {
  readonly handlers: ReadonlyMap<string, Handler>
  readonly audience: Audience
  readonly keeper: LeaseKeeper
  readonly recorder: Recorder
  readonly enqueue: (job: JobReference, input: unknown, options?: EnqueueOptions) => Promise<EnqueueResult>
  readonly remember: Remember
  /** A transaction has moved a lane on. */
  readonly onEnded: (after: Aftermath) => void
}

/** What this node no longer can do waits this long for one that can. */
const forgottenMs = 1_000

export class Runner {
  readonly #context: EngineContext
  readonly #parts: RunnerParts
  /** Handlers are called one after another in one turn: what one of them enters (AsyncLocalStorage) is not for the next. */
  #apart: ReturnType<typeof AsyncLocalStorage.snapshot> | null = null

  constructor(context: EngineContext, parts: RunnerParts) {
    this.#context = context
    this.#parts = parts
  }

  /** A promise only where there is something to wait for: for a handler that returns at once, promises are most of its time. */
  run(claim: ClaimedExecution, held: Held, startedAt: number): Ran | Promise<Ran> {
    this.#apart ??= AsyncLocalStorage.snapshot()
    return this.#apart(() => this.#traced(claim, held, startedAt))
  }

  #traced(claim: ClaimedExecution, held: Held, startedAt: number): Ran | Promise<Ran> {
    const { traceAttempt } = this.#context
    if (traceAttempt === null) return this.#run(claim, held, startedAt)
    return traceAttempt(claim, async (traced) => await this.#run(traced, held, startedAt), endOf)
  }

  #run(claim: ClaimedExecution, held: Held, startedAt: number): Ran | Promise<Ran> {
    const attempt = new Attempt(this.#context, this.#parts, claim, held, startedAt)
    const limit = this.#watchTimeout(claim, held)
    try {
      const work = this.#work(attempt, claim, held)
      if (isThenable(work)) return this.#whenDone(attempt, claim, held, limit?.over(work) ?? work)
      held.end()
      return ranBy(attempt, work, held)
    } catch (thrown) {
      held.end()
      return this.#ranInto(thrown, attempt, claim, held)
    }
  }

  /** Or when it rests: then nobody waits for the handler any more. */
  #whenDone(attempt: Attempt, claim: ClaimedExecution, held: Held, work: PromiseLike<unknown>): Promise<Ran> {
    return new Promise((resolve) => {
      const end = (ran: () => Ran) => {
        held.end()
        resolve(ran())
      }
      attempt.onRest = (outcome) => end(() => ({ kind: 'ended', outcome }))
      work.then(
        (returned) =>
          end(() => {
            try {
              return ranBy(attempt, returned, held)
            } catch (thrown) {
              return this.#ranInto(thrown, attempt, claim, held)
            }
          }),
        (thrown: unknown) => end(() => this.#ranInto(thrown, attempt, claim, held)),
      )
    })
  }

  /** What the handler returns, or a promise of it. */
  #work(attempt: Attempt, claim: ClaimedExecution, held: Held): unknown {
    const handler = this.#handler(claim)
    const call = (input: unknown) =>
      handler.run(attempt.contextFor(input) as JobContext<never>, claim.spec, held)
    const input = parsed(handler, claim.input)
    return isThenable(input) ? input.then(call) : call(input)
  }

  #ranInto(thrown: unknown, { committed }: Attempt, claim: ClaimedExecution, held: Held): Ran {
    if (committed === null) return { kind: 'ended', outcome: told(outcomeOf(thrown, held), held) }
    // The transaction has ended the execution; what the handler did afterwards does not matter.
    this.#context.logger.warn(`${claim.jobName} threw after its transaction had completed it`, {
      error: held.hidesSomething ? errorFrom(thrown, (text) => held.redact(text)) : thrown,
      job: claim.jobName,
      executionId: claim.id,
    })
    return committed
  }

  #handler(claim: ClaimedExecution): Handler {
    const key = handlerKey(claim.spec.handler)
    const handler = this.#parts.handlers.get(key)
    if (handler !== undefined) return handler
    // It was forgotten while its claim was under way: that is not a failure, and another node may have it.
    const why = `This node no longer has a handler "${key}".`
    throw new OutcomeSignal(why, { kind: 'snooze', afterMs: forgottenMs })
  }

  #watchTimeout(claim: ClaimedExecution, held: Held): TimeLimit | null {
    const { timeoutMs } = claim.spec
    return timeoutMs === null ? null : new TimeLimit(this.#context.clock, timeoutMs, this.#parts.keeper, held)
  }
}

function ranBy(attempt: Attempt, returned: unknown, held: Held): Ran {
  if (!(returned instanceof OutcomeSignal)) attempt.returned()
  if (attempt.committed !== null) return attempt.committed
  if (returned instanceof OutcomeSignal) return { kind: 'ended', outcome: told(returned.outcome, held) }
  return { kind: 'ended', outcome: { kind: 'done', result: attempt.keepable(returned) } }
}

function endOf(ran: Ran): AttemptEnd {
  if (ran.kind === 'committed') return { outcome: 'done', error: null }
  const { outcome } = ran
  return { outcome: outcome.kind, error: 'error' in outcome ? outcome.error : null }
}

/** An input that the schema refuses would be refused again: there is no retry. */
function parsed(handler: Handler, input: unknown): unknown {
  const refused = (thrown: unknown): never => {
    throw failedBy(thrown)
  }
  try {
    const checked = handler.parse(input)
    return isThenable(checked) ? checked.then((value) => value, refused) : checked
  } catch (thrown) {
    return refused(thrown)
  }
}

/** Whatever `await` would wait for. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false
  return 'then' in value && typeof value.then === 'function'
}

/** What a handler has said of its end itself, without the secrets that it has opened. */
function told(outcome: Outcome, held: Held): Outcome {
  if (!held.hidesSomething) return outcome
  const redact = (text: string) => held.redact(text)
  if ('error' in outcome) return { ...outcome, error: withoutSecretsIn(outcome.error, redact) }
  return outcome.kind === 'cancel' ? { ...outcome, note: withoutSecretsIn(outcome.note, redact) } : outcome
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
      return { kind: 'error', error: errorFrom(thrown, (text) => held.redact(text)) }
  }
}
