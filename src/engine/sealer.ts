/**
 * While this node leads: seals the audit log. Only what was there a minute ago: ids are given before the commit, and
 * whoever takes longer than that has been rolled back by its server.
 */
import type { EngineContext } from './context.ts'
import type { Elector } from './elector.ts'
import { Alarm, Service } from './service.ts'

const batchEntries = 500

export class Sealer extends Service {
  readonly #context: EngineContext
  readonly #elector: Elector
  readonly #alarm: Alarm
  readonly #everyMs: number
  /** The newest entry of the look before. */
  #newest = 0

  constructor(context: EngineContext, elector: Elector) {
    super()
    this.#context = context
    this.#elector = elector
    this.#alarm = new Alarm(context.clock)
    // A minute by the host's clock.
    this.#everyMs = 2 * context.clock.longestSleepMs
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#alarm.wait(this.#everyMs, signal)
      if (!signal.aborted) await this.#seal(signal)
    }
  }

  async #seal(signal: AbortSignal): Promise<void> {
    const { store, clock, logger, nodeId } = this.#context
    const upTo = this.#newest
    for (let more = true; more && !signal.aborted; ) {
      const term = this.#elector.term()
      if (term === null) return
      const leader = { termId: term.id, holder: nodeId }
      try {
        const result = await store.audit.sealAuditLog({ leader, upTo, limit: batchEntries, now: clock.now() })
        if (!result.led) return this.#elector.doubt(term.id)
        this.#newest = result.newest
        more = result.more
      } catch (error) {
        logger.warn('Could not seal the audit log; trying again later', { error })
        return
      }
    }
  }
}
