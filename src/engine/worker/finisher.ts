/**
 * Ends and starts attempts in batches: while one flush is under way the next one gathers, so that a busy worker pays for
 * one commit where an idle one pays at once. A start does not wait for the disk, only an end does.
 */
import type { Claim, FinishedAttempt, ReleaseAt } from '../../store/store.ts'
import type { EngineContext } from '../context.ts'
import { Batcher } from './batcher.ts'

const retryMs = 250

export class Finisher {
  readonly #context: EngineContext
  readonly #onLanes: (releases: readonly ReleaseAt[]) => void
  readonly #ends: Batcher<FinishedAttempt>
  readonly #starts: Batcher<Claim>
  #giveUp = false

  constructor(context: EngineContext, onLanes: (releases: readonly ReleaseAt[]) => void) {
    this.#context = context
    this.#onLanes = onLanes
    this.#ends = new Batcher((attempts) => this.#untilDone((tries) => this.#writeEnds(attempts, tries)))
    this.#starts = new Batcher((claims) => this.#untilDone(() => this.#writeStarts(claims)))
  }

  /** False where the lease had passed to another worker: nothing was written but the refusal. */
  async finish(attempt: FinishedAttempt): Promise<boolean> {
    return await this.#ends.add(attempt)
  }

  /** False where the reservation is no longer ours: do not start. */
  async begin(claim: Claim): Promise<boolean> {
    return await this.#starts.add(claim)
  }

  /** Waits for what is under way; a database that stays away is not waited for. */
  async stop(): Promise<void> {
    this.#giveUp = true
    await this.#starts.idle()
    await this.#ends.idle()
  }

  async #writeStarts(claims: readonly Claim[]): Promise<Set<string>> {
    const { store, clock } = this.#context
    return new Set(await store.startAttempts(claims, clock.now()))
  }

  async #writeEnds(attempts: readonly FinishedAttempt[], tries: number): Promise<Set<string>> {
    const { store, clock, nodeId } = this.#context
    const result = await store.finishAttempts({ nodeId, attempts, now: clock.now() })
    if (result.lanes > 0) this.#onLanes(result.releases)
    const refused = new Set(result.refused)
    // After a second try it may be the reply that was lost, not the write: then our own ending stands there already.
    for (const attempt of attempts) {
      if (tries > 0 && refused.has(attempt.id) && (await this.#isWritten(attempt))) refused.delete(attempt.id)
    }
    return refused
  }

  async #isWritten({ id, fence, ending }: FinishedAttempt): Promise<boolean> {
    const execution = await this.#context.store.findExecution(id)
    return execution !== null && execution.fence === fence && execution.state === ending.state
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
