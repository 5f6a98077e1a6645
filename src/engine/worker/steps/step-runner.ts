/** `ctx.step`, `ctx.sleep` and `ctx.waitFor` of one attempt: what was done before is not done again. */
import { backoffMs } from '../../../core/attempt/backoff.ts'
import { EvertickError } from '../../../core/error.ts'
import { never, type Step } from '../../../core/execution/step.ts'
import { storedOptions } from '../../../core/job/options-codec.ts'
import { durationText, parseDuration } from '../../../core/schedule/duration.ts'
import type { Duration } from '../../../core/schedule/schedule.ts'
import type { ClaimedExecution, Transaction } from '../../../store/store.ts'
import type { EngineContext } from '../../context.ts'
import type { Answer, ExecutionLog, StepOptions, StepWork } from '../handler.ts'
import type { Held } from '../held.ts'
import type { LeaseKeeper } from '../lease-keeper.ts'
import { errorFrom, failedBy } from '../outcome-signal.ts'
import { Memos, type Remember, resultOf } from './memos.ts'
import type { Rests } from './rests.ts'

/** How often a wait that holds its slot looks for its signal. */
const lookMs = 1_000
/** In one line of the log. */
const mostNamed = 10

export type StepFunction = StepWork<unknown> | ((tx: Transaction) => unknown)

type Ended = Pick<Step, 'name' | 'kind' | 'begunAt' | 'decidedAt' | 'outcome' | 'restFence'>

export interface StepParts {
  readonly keeper: LeaseKeeper
  readonly remember: Remember
  readonly rests: Rests
  readonly log: ExecutionLog
}

export class StepRunner {
  readonly #context: EngineContext
  readonly #parts: StepParts
  readonly #claim: ClaimedExecution
  readonly #held: Held
  readonly #memos: Memos

  constructor(context: EngineContext, parts: StepParts, claim: ClaimedExecution, held: Held) {
    this.#context = context
    this.#parts = parts
    this.#claim = claim
    this.#held = held
    this.#memos = new Memos(context, parts, claim, held)
  }

  async step(name: string, work: StepFunction, options: StepOptions = {}): Promise<unknown> {
    return await this.#parts.rests.during(async () => {
      const memo = await this.#memos.begin(name, 'step')
      if (memo === null) return await this.#traced(name, work, options)
      this.#context.traceSteps?.remembered(name, 'step')
      return resultOf(memo)
    })
  }

  async sleep(name: string, until: Duration | Date): Promise<void> {
    this.#refuseAtMostOnce('sleep')
    const { rests } = this.#parts
    const { clock } = this.#context
    const begun = await rests.during(async () => {
      const memo = await this.#memos.begin(name, 'sleep')
      if (memo !== null) return memo
      const begunAt = clock.now()
      const endsAt = endOf(until, begunAt)
      await this.#memos.record({ name, kind: 'sleep', begunAt, endsAt, decided: null })
      return { name, begunAt, endsAt, restFence: null }
    })
    const endsAt = begun.endsAt ?? begun.begunAt
    const isOver = async () => endsAt <= clock.now()
    if (endsAt > clock.now()) await rests.until(name, { kind: 'sleep', endsAt, lookMs: never, isOver })
    this.#memos.refuseLost()
    const decidedAt = Math.max(begun.begunAt, endsAt)
    const slept = { ...begun, kind: 'sleep', decidedAt, outcome: 'slept' } as const
    if (!this.#memos.isRemembered(slept)) this.#memos.tell(slept)
    this.#traceEnd(slept)
  }

  async waitFor(name: string, { timeout }: { readonly timeout?: Duration } = {}): Promise<Answer> {
    this.#refuseAtMostOnce('waitFor')
    const { rests } = this.#parts
    const { clock } = this.#context
    let wait = await rests.during(async () => {
      const memo = await this.#memos.begin(name, 'wait')
      if (memo !== null) return memo
      const begunAt = clock.now()
      const endsAt = timeout === undefined ? null : begunAt + parseDuration(timeout, 'timeout')
      await this.#memos.record({ name, kind: 'wait', begunAt, endsAt, decided: null })
      return await this.#memos.look(name)
    })
    if (wait === null || wait.decidedAt !== null) return this.#answer(name, wait)
    const { endsAt, begunAt } = wait
    const isOver = async () => {
      const at = clock.now()
      const decided =
        endsAt !== null && endsAt <= at ? { at, outcome: 'timed_out' as const, result: null } : null
      // A signal that was written before stands: the row says which of the two it was.
      if (decided !== null) await this.#memos.record({ name, kind: 'wait', begunAt, endsAt, decided })
      wait = await this.#memos.look(name)
      return wait?.decidedAt !== null
    }
    if (endsAt !== null && endsAt <= clock.now()) await rests.during(isOver)
    else await rests.until(name, { kind: 'wait', endsAt, lookMs, isOver })
    return this.#answer(name, wait)
  }

  /** The handler is done: what it remembers and has not called is shown, or a step that is gone from the code would look done. */
  tellNotCalled(): void {
    const names = this.#memos.notCalled
    if (names.length === 0) return
    const shown = names.slice(0, mostNamed).map((name) => `"${name}"`)
    const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
    this.#parts.log.info(
      `Remembered of an earlier attempt and not called by this one: ${shown.join(', ')}${more}. ` +
        'The code has changed, or went another way.',
    )
  }

  #answer(name: string, wait: Step | null): Answer {
    if (wait !== null) this.#traceEnd(wait)
    return answerOf(name, wait)
  }

  /** Of a sleep or a wait: in the attempt that goes on behind it, it is told with its times. */
  #traceEnd(step: Ended): void {
    const { traceSteps, clock } = this.#context
    const { name, kind, begunAt, decidedAt, outcome } = step
    if (traceSteps === null || decidedAt === null || outcome === null) return
    if (this.#memos.isRemembered(step)) return traceSteps.remembered(name, kind)
    const now = clock.now()
    const [begunMsAgo, endedMsAgo] = [now - Math.min(begunAt, decidedAt), now - decidedAt]
    traceSteps.ended({ name, kind, outcome, begunMsAgo, endedMsAgo })
  }

  async #traced(name: string, work: StepFunction, options: StepOptions): Promise<unknown> {
    const { traceSteps } = this.#context
    if (traceSteps === null) return await this.#tried(name, work, options)
    return await traceSteps.step(
      name,
      async (onTry) => await this.#tried(name, work, options, onTry),
      (thrown) => errorFrom(thrown, (text) => this.#held.redact(text)),
    )
  }

  async #tried(
    name: string,
    work: StepFunction,
    { transaction = false, retry = { attempts: 1 }, timeout }: StepOptions,
    onTry: (tries: number) => void = () => {},
  ): Promise<unknown> {
    const { clock, random } = this.#context
    const spec = storedOptions({ retry }).retry
    const timeoutMs = timeout === undefined ? null : parseDuration(timeout, 'timeout')
    const begunAt = clock.now()
    for (let tries = 1; ; tries += 1) {
      this.#memos.refuseLost()
      onTry(tries)
      try {
        if (transaction) return await this.#within(name, work as (tx: Transaction) => unknown, begunAt, tries)
        const value = await this.#limited(name, work as StepWork<unknown>, tries, timeoutMs)
        const result = this.#memos.written(name, value)
        const decided = { at: clock.now(), outcome: 'done' as const, result }
        await this.#memos.record({ name, kind: 'step', begunAt, tries, decided })
        return resultOf({ name, result })
      } catch (error) {
        if (this.#held.signal.aborted || tries >= spec.attempts || isOurs(error)) throw error
        const waitMs = backoffMs(spec, tries, random(), clock.now(), null)
        this.#parts.log.warn(
          `Step "${name}" failed, try ${tries} of ${spec.attempts}: ${errorFrom(error).message}. ` +
            `The next try is in ${durationText(Math.max(1, waitMs))}.`,
        )
        await clock.sleep(waitMs, this.#held.signal)
      }
    }
  }

  /** A function that ignores its signal is no longer waited for: what it returns later is nobody's. */
  async #limited(
    name: string,
    work: StepWork<unknown>,
    tries: number,
    timeoutMs: number | null,
  ): Promise<unknown> {
    if (timeoutMs === null) return await work({ signal: this.#held.signal, attempt: tries })
    const [late, done] = [new AbortController(), new AbortController()]
    const signal = AbortSignal.any([this.#held.signal, late.signal])
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    )
    void this.#context.clock
      .sleep(timeoutMs, done.signal)
      .then(() => late.abort(tookTooLong(name, timeoutMs)))
    try {
      return await Promise.race([work({ signal, attempt: tries }), aborted])
    } finally {
      done.abort()
    }
  }

  async #within(
    name: string,
    work: (tx: Transaction) => unknown,
    begunAt: number,
    tries: number,
  ): Promise<unknown> {
    const { store, clock } = this.#context
    await this.#parts.keeper.extendFor(this.#held, store.longestHoldMs)
    this.#memos.refuseLost()
    let result: string | null = null
    try {
      await store.steps.stepWithin<unknown>({
        claim: this.#claim,
        maxMs: store.longestTransactionMs,
        clock,
        run: async (tx) => await work(tx),
        record: (value) => {
          result = this.#memos.written(name, value)
          const decided = { at: clock.now(), outcome: 'done' as const, result }
          return this.#memos.recordOf({ name, kind: 'step', begunAt, tries, decided })
        },
      })
    } catch (error) {
      // It may be the reply to COMMIT that was lost, not the commit.
      const memo = await this.#memos.look(name).catch(() => null)
      if (memo?.fence !== this.#claim.fence || memo.decidedAt === null) throw error
      return resultOf(memo)
    }
    return resultOf({ name, result })
  }

  /** A replay repeats the plain code around steps, which `onCrash: 'fail'` promises never to do. */
  #refuseAtMostOnce(call: string): void {
    if (this.#claim.spec.onCrash !== 'fail') return
    throw failedBy(
      new EvertickError('invalid_option', `ctx.${call} is not for a job with onCrash: 'fail'.`, {
        field: 'onCrash',
        next: "Coming back runs the code before it again. Use onCrash: 'retry', with the effects in steps.",
      }),
    )
  }
}

function endOf(until: Duration | Date, now: number): number {
  return until instanceof Date ? until.getTime() : now + parseDuration(until, 'until')
}

function answerOf(name: string, wait: Step | null): Answer {
  if (wait?.outcome !== 'signalled') return { outcome: 'timeout' }
  return { outcome: 'signal', payload: resultOf({ name, result: wait.result }), by: wait.signalledBy ?? '' }
}

/** Another try would say the same. */
function isOurs(error: unknown): boolean {
  return error instanceof EvertickError && (error.code === 'invalid_payload' || error.code === 'stale_lease')
}

function tookTooLong(name: string, timeoutMs: number): EvertickError {
  return new EvertickError('timeout', `Step "${name}" took longer than ${durationText(timeoutMs)}.`, {
    next: 'Raise its timeout, or make its function heed the signal that it is given.',
  })
}
