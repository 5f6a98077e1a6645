/** Renews the leases of runs that this process does by hand, so that one whose process dies does not stay open for ever. */
import type { AppContext } from '../../app/app-context.ts'
import { stderrLogger } from '../../app/log/stderr-logger.ts'
import type { Logger } from '../../engine/logger.ts'
import { Alarm, Service } from '../../engine/service.ts'
import type { Claim } from '../../store/store.ts'
import { handLeaseMs } from './hand-run.ts'

/** Three times per lease: one lost renewal ends nothing. */
const everyMs = handLeaseMs / 3

export class RunKeeper extends Service {
  readonly #app: AppContext
  readonly #logger: Logger
  readonly #sweep: (() => Promise<unknown>) | null
  readonly #alarm: Alarm
  readonly #held = new Map<string, Claim>()

  /** `sweep` takes back the leases of others, where no node is there to do it. */
  constructor(app: AppContext, logger: Logger | undefined, sweep: (() => Promise<unknown>) | null) {
    super()
    this.#app = app
    this.#logger = logger ?? stderrLogger
    this.#sweep = sweep
    this.#alarm = new Alarm(app.clock)
  }

  hold(claim: Claim): void {
    this.#held.set(claim.id, claim)
    this.start()
    if (this.#held.size === 1) this.#alarm.ring()
  }

  letGo(id: string): void {
    this.#held.delete(id)
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#app
    while (!signal.aborted) {
      await this.#alarm.wait(this.#held.size === 0 ? clock.longestSleepMs : everyMs, signal)
      if (signal.aborted || this.#held.size === 0) continue
      try {
        await this.#renew()
        await this.#sweep?.()
      } catch (error) {
        this.#logger.warn('Could not renew the leases of runs by hand; trying again', { error })
      }
    }
  }

  async #renew(): Promise<void> {
    const now = this.#app.clock.now()
    const claims = [...this.#held.values()]
    const { lost, cancelled } = await this.#app.store.work.extendLeases({
      claims,
      leasedUntil: now + handLeaseMs,
      now,
    })
    for (const id of lost) {
      this.letGo(id)
      this.#logger.warn(`The run ${id} was taken for dead: its lease had run out`)
    }
    // Somebody asked it to stop: unless its app ends it first, it ends with its lease.
    for (const id of cancelled) this.letGo(id)
  }
}
