/**
 * Ends and starts attempts in batches: while one flush is under way the next one gathers, so that a busy worker pays for
 * one commit where an idle one pays at once. A start does not wait for the disk, only an end does.
 */
import type { Execution } from '../../core/execution/execution.ts'
import type { Aftermath, Claim, FinishedAttempt } from '../../store/store.ts'
import type { EngineContext } from '../context.ts'
import { Batcher } from './batcher.ts'

const retryMs = 250

export class Finisher {
  readonly #context: EngineContext
  readonly #onEnded: (after: Aftermath) => void
  readonly #ends: Batcher<FinishedAttempt>
  readonly #starts: Batcher<Claim>
  #giveUp = false

  constructor(context: EngineContext, onEnded: (after: Aftermath) => void) {
    this.#context = context
    this.#onEnded = onEnded
    this.#ends = new Batcher(context, (attempts) =>
      this.#untilDone((tries) => this.#writeEnds(attempts, tries)),
    )
    this.#starts = new Batcher(context, (claims) =>
      this.#untilDone((tries) => this.#writeStarts(claims, tries)),
    )
  }

  /** False where the lease had passed to another worker: nothing was written but the refusal. */
  async finish(attempt: FinishedAttempt): Promise<boolean> {
    return await this.#ends.add(attempt)
  }

  /** False where the reservation is no longer ours: do not start. */
  async begin(claim: Claim): Promise<boolean> {
    return await this.#starts.add(claim)
  }

  /** From now on each write is tried once: a database that stays away is not waited for. */
  giveUp(): void {
    this.#giveUp = true
  }

  /** Waits for what is under way. */
  async stop(): Promise<void> {
    this.giveUp()
    await this.#starts.idle()
    await this.#ends.idle()
  }

  async #writeStarts(claims: readonly Claim[], tries: number): Promise<Set<string>> {
    const { store, clock } = this.#context
    const lost = new Set(await store.startAttempts(claims, clock.now()))
    return await this.#unlessWritten(
      lost,
      claims,
      tries,
      ({ state, startedAt }) => state === 'running' && startedAt !== null,
    )
  }

  async #writeEnds(attempts: readonly FinishedAttempt[], tries: number): Promise<Set<string>> {
    const { store, clock, nodeId } = this.#context
    const result = await store.finishAttempts({ nodeId, attempts, now: clock.now() })
    // After a second try it may be the first that has ended them, and its reply that was lost.
    if (result.lanes > 0 || tries > 0) this.#onEnded(tries > 0 ? { ...result, opened: true } : result)
    const refused = new Set(result.refused)
    return await this.#unlessWritten(
      refused,
      attempts,
      tries,
      ({ state }, { ending }) => state === ending.state,
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
      const execution = await this.#context.store.findExecution(item.id)
      if (execution?.fence === item.fence && isOurs(execution, item)) refused.delete(item.id)
    }
    return refused
  }

  /** The refused ids; null where the database stayed away until the stop. */
  async #untilDone(write: (tries: number) => Promise<Set<string>>): Promise<Set<string> | null> {
    const { clock, logger } = this.#context
    for (let tries = 0; ; tries += 1) {
      try {
        return await write(tries)
      } catch (error) {
        logger.warn('Could not write attempts; trying again', { error })
        if (this.#giveUp) return null
        await new Promise<void>((resolve) => clock.timer(retryMs, resolve))
      }
    }
  }
}
