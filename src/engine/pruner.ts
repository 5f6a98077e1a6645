/** While this node leads: prunes history by retention, a slice at a time, so that the writer is never held for long. */
import type { Archive } from '../store/store.ts'
import type { EngineContext } from './context.ts'
import type { Elector } from './elector.ts'
import type { JumpGuard } from './jump-guard.ts'
import { Alarm, Service } from './service.ts'

const everyMs = 5 * 60_000
const betweenSlicesMs = 50
const sliceJobs = 100
/** How long alerts are kept once they are over. */
const alertsMs = 90 * 86_400_000

/** By then nobody catches up their ticks. */
const checkInsMs = 90 * 86_400_000

/** Of what it removes. */
export interface Kept {
  /** How long the audit log is; null: for ever. */
  readonly auditLogMs: number | null
  /** Where executions go; null: they are gone. */
  readonly archive: Archive | null
}

export class Pruner extends Service {
  readonly #context: EngineContext
  readonly #elector: Elector
  readonly #guard: JumpGuard
  readonly #alarm: Alarm
  readonly #kept: Kept
  #after: string | null = null

  constructor(
    context: EngineContext,
    { elector, guard }: { elector: Elector; guard: JumpGuard },
    kept: Kept,
  ) {
    super()
    this.#context = context
    this.#elector = elector
    this.#guard = guard
    this.#kept = kept
    this.#alarm = new Alarm(context.clock)
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    const { store, clock, logger } = this.#context
    while (!signal.aborted) {
      const idle = this.#after === null
      await this.#alarm.wait(idle ? everyMs : betweenSlicesMs, signal, { idle })
      // To a clock that jumped a month ahead, all of history is old.
      if (signal.aborted || this.#elector.term() === null || this.#guard.holds()) continue
      try {
        const slice = await store.ticks.purgeHistory({
          afterJobId: this.#after,
          jobs: sliceJobs,
          now: clock.now(),
          archive: this.#kept.archive ?? undefined,
        })
        this.#after = slice.lastJobId
        if (this.#after === null) await this.#purgeRest()
      } catch (error) {
        this.#after = null
        logger.warn('Could not prune history; trying again later', { error })
      }
    }
  }

  async #purgeRest(): Promise<void> {
    const { store, clock } = this.#context
    const now = clock.now()
    await store.access.purgeAccess(now)
    let alerts = 1
    while (alerts > 0) alerts = await store.alerts.purgeAlerts(now - alertsMs)
    let checkIns = 1
    while (checkIns > 0) checkIns = await store.checkIns.purgeCheckIns(now - checkInsMs)
    const { auditLogMs } = this.#kept
    if (auditLogMs === null) return
    const context = { now, actor: 'evertick' }
    let gone = 1
    while (gone > 0) gone = await store.audit.purgeAuditLog(now - auditLogMs, context)
  }
}
