/** Renews the leases of runs that this process does by hand: a run whose process dies is then ended by its lease. */
import type { AppContext } from '../../app/app-context.ts'
import { stderrLogger } from '../../app/log/stderr-logger.ts'
import { KeepAlive } from '../../engine/keep-alive.ts'
import type { Logger } from '../../engine/logger.ts'
import type { Claim } from '../../store/store.ts'
import { handLeaseMs } from './hand-run.ts'

/** So that one renewal may fail. */
const renewalsPerLease = 3

export class RunKeeper {
  readonly #app: AppContext
  readonly #logger: Logger
  readonly #sweep: (() => Promise<unknown>) | null
  readonly #keepAlive: KeepAlive
  readonly #held = new Map<string, Claim>()

  /** `sweep` takes back the leases of others, where no node is there to do it. */
  constructor(app: AppContext, logger: Logger | undefined, sweep: (() => Promise<unknown>) | null) {
    this.#app = app
    this.#logger = logger ?? stderrLogger
    this.#sweep = sweep
    this.#keepAlive = new KeepAlive({
      clock: app.clock,
      everyMs: handLeaseMs / renewalsPerLease,
      renew: () => this.#renew(),
      onFailed: (error) =>
        this.#logger.warn('Could not renew the leases of runs by hand; trying again', { error }),
    })
  }

  hold(claim: Claim): void {
    this.#held.set(claim.id, claim)
    this.#keepAlive.start()
  }

  letGo(id: string): void {
    this.#held.delete(id)
  }

  async stop(): Promise<void> {
    await this.#keepAlive.stop()
  }

  async #renew(): Promise<void> {
    if (this.#held.size === 0) return
    const now = this.#app.clock.now()
    const { lost, cancelled } = await this.#app.store.work.extendLeases({
      claims: [...this.#held.values()],
      leasedUntil: now + handLeaseMs,
      now,
    })
    for (const id of lost) {
      this.letGo(id)
      this.#logger.warn(`The run ${id} was given up: its lease had run out`)
    }
    // Somebody asked it to stop: unless its app ends it first, it ends with its lease.
    for (const id of cancelled) this.letGo(id)
    await this.#sweep?.()
  }
}
