/** What stands behind the `ctx` of one attempt: its log, its progress, its transaction, and what is kept of its result. */
import type { Outcome } from '../../core/attempt/outcome.ts'
import { EvertickError } from '../../core/error.ts'
import { type Definition, definitionOf, startsOf } from '../../core/job/definition.ts'
import { withoutSecretsIn } from '../../core/job/secret-values.ts'
import { refuseLong } from '../../core/payload.ts'
import type { ClaimedExecution, Transaction } from '../../store/store.ts'
import type { EngineContext } from '../context.ts'
import { AttemptContext } from './attempt-context.ts'
import type { ExecutionLog, JobContext, StepOptions } from './handler.ts'
import type { Held } from './held.ts'
import { errorFrom, failedBy, printable } from './outcome-signal.ts'
import { maxLogLines } from './recorder.ts'
import type { Ran, RunnerParts } from './runner.ts'
import { Rests } from './steps/rests.ts'
import { type StepFunction, StepRunner } from './steps/step-runner.ts'

export class Attempt {
  readonly #context: EngineContext
  readonly #parts: RunnerParts
  readonly #claim: ClaimedExecution
  readonly #held: Held
  readonly #startedAt: number
  #transactionUsed = false
  #rests: Rests | null = null
  #steps: StepRunner | null = null
  #lines = 0
  committed: Extract<Ran, { kind: 'committed' }> | null = null
  /** Set by whoever waits for the handler: it sleeps or waits, and has given up its slot. */
  onRest: (outcome: Outcome) => void = () => {}

  constructor(
    context: EngineContext,
    parts: RunnerParts,
    claim: ClaimedExecution,
    held: Held,
    startedAt: number,
  ) {
    this.#context = context
    this.#parts = parts
    this.#claim = claim
    this.#held = held
    this.#startedAt = startedAt
  }

  contextFor(input: unknown): JobContext {
    return new AttemptContext({
      input,
      claim: this.#claim,
      held: this.#held,
      startedAt: this.#startedAt,
      log: this.#log(),
      progress: (fraction, note) => this.#progress(fraction, note),
      transaction: (fn) => this.#underWay(() => this.#transaction(fn)),
      enqueue: (...args) => this.#underWay(() => this.#parts.enqueue(...args)),
      secrets: { get: (name) => this.#underWay(() => this.#secret(name)) },
      step: (name: string, work: StepFunction, options?: StepOptions) =>
        this.#stepRunner().step(name, work, options),
      sleep: (name, until) => this.#stepRunner().sleep(name, until),
      waitFor: (name, options) => this.#stepRunner().waitFor(name, options),
      definition: () => this.#underWay(() => this.#definition()),
    })
  }

  async #secret(name: string): Promise<string> {
    const value = await this.#context.openSecret(name)
    this.#held.hide([value])
    return value
  }

  async #definition(): Promise<Definition> {
    const { store } = this.#context
    const { id, jobId } = this.#claim
    const [revisions, attempts, steps] = await Promise.all([
      store.jobs.listRevisions(jobId),
      store.executions.listAttempts(id),
      store.steps.listSteps(id),
    ])
    return definitionOf(revisions, startsOf({ startedAt: this.#startedAt, attempts, steps }))
  }

  /** Keeps the slot of a handler that sleeps beside it. */
  async #underWay<T>(work: () => Promise<T>): Promise<T> {
    return await this.#restsOf().during(work)
  }

  #restsOf(): Rests {
    this.#rests ??= new Rests(this.#context, this.#held, {
      giveUp: (outcome) => this.onRest(outcome),
      warn: (message) => this.#log().warn(message),
    })
    return this.#rests
  }

  /** Most handlers have no steps. */
  #stepRunner(): StepRunner {
    const { keeper, remember } = this.#parts
    const parts = { keeper, remember, rests: this.#restsOf(), log: this.#log() }
    this.#steps ??= new StepRunner(this.#context, parts, this.#claim, this.#held)
    return this.#steps
  }

  /** Its handler has come to its end. */
  returned(): void {
    this.#steps?.tellNotCalled()
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
      throw failedBy(error)
    }
    const kept: unknown = JSON.parse(written)
    const held = this.#held
    return held.hidesSomething ? withoutSecretsIn(kept, (text) => held.redact(text)) : kept
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
        message: this.#held.redact(full),
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
      note: said === null ? null : this.#held.redact(printable(said)),
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
    const told = this.#held.hidesSomething ? this.keepable(result) : result
    this.committed = { kind: 'committed', result: told }
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
      const completed = await store.work.completeWithin<T>({
        claim: { ...this.#claim, startedAt: this.#startedAt },
        nodeId,
        heard: this.#parts.audience.heard,
        maxMs: store.longestTransactionMs,
        clock,
        usage: () => this.#held.usage,
        run: fn,
        onEnded: this.#parts.onEnded,
        ending,
      })
      this.#parts.audience.written()
      return completed
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
