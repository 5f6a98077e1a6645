/**
 * Ends and starts attempts, and writes their memos, in batches: while one flush is under way the next one gathers, so that a busy worker pays for
 * one commit where an idle one pays at once. A start does not wait for the disk, only an end does.
 */
import { keptError } from '../../core/attempt/kept-error.ts'
import type { Ending } from '../../core/attempt/outcome.ts'
import type { Execution } from '../../core/execution/execution.ts'
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import type { Aftermath, Claim, FinishedAttempt, StepRecord } from '../../store/store.ts'
import type { Audience } from '../audience.ts'
import type { EngineContext } from '../context.ts'
import { Batcher, type Settle } from './batcher.ts'
import { errorFrom } from './outcome-signal.ts'
import { StubbornWrite } from './stubborn-write.ts'

export class Finisher {
  readonly #context: EngineContext
  readonly #audience: Audience
  readonly #onEnded: (after: Aftermath) => void
  readonly #ends: Batcher<FinishedAttempt>
  readonly #starts: Batcher<Claim>
  readonly #steps: Batcher<StepRecord>
  readonly #writes: readonly { giveUp(): void }[]
  /** Ends that the database refused, and what was written instead. */
  readonly #replaced = new WeakMap<FinishedAttempt, FinishedAttempt>()
  readonly #isInstead = new WeakSet<FinishedAttempt>()

  constructor(context: EngineContext, audience: Audience, onEnded: (after: Aftermath) => void) {
    this.#context = context
    this.#audience = audience
    this.#onEnded = onEnded
    const ends = new StubbornWrite<FinishedAttempt>(context, {
      write: (attempts, tries) => this.#writeEnds(attempts, tries),
      instead: (attempt, error) => this.#instead(attempt, error),
    })
    const starts = new StubbornWrite<Claim>(context, {
      write: (claims, tries) => this.#writeStarts(claims, tries),
      instead: () => null,
    })
    const steps = new StubbornWrite<StepRecord>(context, {
      // What a lost reply has written already stays as it is.
      write: async (records) => new Set(await context.store.steps.recordSteps(records)),
      instead: () => null,
    })
    this.#ends = new Batcher(context, (attempts) => ends.write(attempts))
    this.#starts = new Batcher(context, (claims) => starts.write(claims))
    this.#steps = new Batcher(context, (records) => steps.write(records))
    this.#writes = [starts, ends, steps]
  }

  /** Says how it ended; null where the lease had passed to another worker: nothing was written but the refusal. */
  finish(attempt: FinishedAttempt, written: (ending: Ending | null) => void): void {
    this.#ends.add(attempt, (ours) => written(ours ? (this.#replaced.get(attempt) ?? attempt).ending : null))
  }

  /** Handlers end faster than the database takes it. */
  get isBehind(): boolean {
    return this.#ends.isBehind
  }

  /** False where the reservation is no longer ours: do not start. */
  begin(claim: Claim, settle: Settle): void {
    this.#starts.add(claim, settle)
  }

  /** False where the lease has passed to another worker, or the database takes no memo of it. */
  remember(record: StepRecord, settle: Settle): void {
    this.#steps.add(record, settle)
  }

  /** From now on each write is tried once: a database that stays away is not waited for. */
  giveUp(): void {
    for (const write of this.#writes) write.giveUp()
  }

  /** Waits for what is under way. */
  async stop(): Promise<void> {
    this.giveUp()
    await this.#starts.idle()
    await this.#steps.idle()
    await this.#ends.idle()
  }

  async #writeStarts(claims: readonly Claim[], tries: number): Promise<Set<string>> {
    const { store, clock } = this.#context
    const lost = new Set(await store.work.startAttempts(claims, clock.now()))
    return await this.#unlessWritten(
      lost,
      claims,
      tries,
      ({ state, startedAt }) => state === 'running' && startedAt !== null,
    )
  }

  async #writeEnds(attempts: readonly FinishedAttempt[], tries: number): Promise<Set<string>> {
    const { store, clock, nodeId } = this.#context
    const { heard } = this.#audience
    const result = await store.work.finishAttempts({ nodeId, attempts, now: clock.now(), heard })
    this.#audience.written()
    // The worker's own look after the run may have come before this write, and not have seen what waits for another try.
    const waits = attempts.some(({ ending }) => 'readyAt' in ending)
    // After a second try it may be the first that has ended them, and its reply that was lost.
    if (result.lanes > 0 || waits || tries > 0)
      this.#onEnded(tries > 0 ? { ...result, opened: true } : result)
    const refused = new Set(result.refused)
    return await this.#unlessWritten(
      refused,
      attempts,
      tries,
      ({ state }, { ending }) => state === ending.state || isAtRest(state, ending),
    )
  }

  /** After a second try it may be the reply that was lost, not the write: then what we wrote stands there already. */
  async #unlessWritten<Item extends Claim>(
    refused: Set<string>,
    items: readonly Item[],
    tries: number,
    isOurs: (execution: Execution, item: Item) => boolean,
  ): Promise<Set<string>> {
    if (tries === 0) return refused
    for (const item of items.filter(({ id }) => refused.has(id))) {
      const execution = await this.#context.store.executions.findExecution(item.id)
      if (execution?.fence === item.fence && isOurs(execution, item)) refused.delete(item.id)
    }
    return refused
  }

  /** A short end, without anything of what was refused; null where that is what was refused. */
  #instead(attempt: FinishedAttempt, error: unknown): FinishedAttempt | null {
    if (this.#isInstead.has(attempt)) return null
    const message = `The database refused how this execution ended: ${errorFrom(error).message}`
    const failed = keptError({ name: 'EvertickError', message, code: 'invalid_payload' })
    const instead: FinishedAttempt = { ...attempt, ending: { state: 'failed', error: failed } }
    this.#replaced.set(attempt, instead)
    this.#isInstead.add(instead)
    return instead
  }
}

/** It is written as a retry, and shown as what it rests for. */
function isAtRest(state: ExecutionState, ending: Ending): boolean {
  return 'rest' in ending && (state === 'sleeping' || state === 'waiting')
}
