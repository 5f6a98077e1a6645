/**
 * Ends and starts attempts in batches: while one flush is under way the next one gathers, so that a busy worker pays for
 * one commit where an idle one pays at once. The flush that frees a slot also marks the start of who takes it.
 */
import type { Claim, FinishedAttempt, ReleaseAt } from '../../store/store.ts'
import type { EngineContext } from '../context.ts'

interface Pending<T> {
  readonly value: T
  readonly settle: (ours: boolean) => void
}

const retryMs = 250

export class Finisher {
  readonly #context: EngineContext
  readonly #onLanes: (releases: readonly ReleaseAt[]) => void
  #attempts: Pending<FinishedAttempt>[] = []
  #starts: Pending<Claim>[] = []
  #flushing: Promise<void> | null = null
  #giveUp = false

  constructor(context: EngineContext, onLanes: (releases: readonly ReleaseAt[]) => void) {
    this.#context = context
    this.#onLanes = onLanes
  }

  /** False where the lease had passed to another worker: nothing was written but the refusal. */
  async finish(attempt: FinishedAttempt): Promise<boolean> {
    return await new Promise((settle) => {
      this.#attempts.push({ value: attempt, settle })
      this.#flush()
    })
  }

  /** False where the reservation is no longer ours: do not start. */
  async begin(claim: Claim): Promise<boolean> {
    return await new Promise((settle) => {
      this.#starts.push({ value: claim, settle })
      this.#flush()
    })
  }

  /** Waits for what is under way; a database that stays away is not waited for. */
  async stop(): Promise<void> {
    this.#giveUp = true
    await this.#flushing
  }

  #flush(): void {
    this.#flushing ??= this.#work().finally(() => {
      this.#flushing = null
    })
  }

  async #work(): Promise<void> {
    // Let everybody who ends in this turn come along.
    await Promise.resolve()
    while (this.#attempts.length + this.#starts.length > 0) {
      const attempts = this.#attempts
      const starts = this.#starts
      this.#attempts = []
      this.#starts = []
      await this.#write(attempts, starts)
    }
  }

  async #write(
    attempts: readonly Pending<FinishedAttempt>[],
    starts: readonly Pending<Claim>[],
  ): Promise<void> {
    const { store, clock, logger, nodeId } = this.#context
    for (let tries = 0; ; tries += 1) {
      try {
        const result = await store.finishAttempts({
          nodeId,
          attempts: attempts.map(({ value }) => value),
          starts: starts.map(({ value }) => value),
          now: clock.now(),
        })
        const refused = new Set(result.refused)
        const lost = new Set(result.lost)
        for (const { value, settle } of attempts) {
          // A reply that was lost, not a write: our own ending stands there already.
          settle(!refused.has(value.id) || (tries > 0 && (await this.#isWritten(value))))
        }
        for (const { value, settle } of starts) settle(!lost.has(value.id))
        if (result.lanes > 0) this.#onLanes(result.releases)
        return
      } catch (error) {
        logger.warn(`Could not write ${attempts.length} finished attempts; trying again`, { error })
        if (this.#giveUp) {
          for (const { settle } of [...attempts, ...starts]) settle(false)
          return
        }
        await new Promise<void>((resolve) => clock.timer(retryMs, resolve))
      }
    }
  }

  async #isWritten({ id, fence, ending }: FinishedAttempt): Promise<boolean> {
    const execution = await this.#context.store.findExecution(id)
    return execution !== null && execution.fence === fence && execution.state === ending.state
  }
}
