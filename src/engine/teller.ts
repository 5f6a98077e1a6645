/**
 * While this node leads, and somebody listens: has what is in the outbox delivered. It is woken by what this node hears of
 * others, and else looks once a second; while nobody listens it only takes away what was written before that.
 */
import type { Audience } from './audience.ts'
import type { EngineContext } from './context.ts'
import type { Elector } from './elector.ts'
import { Alarm, Service } from './service.ts'

/** Of notices in one transaction: each may have a delivery for every webhook. */
const batchNotices = 100

export class Teller extends Service {
  readonly #context: EngineContext
  readonly #elector: Elector
  readonly #audience: Audience
  readonly #alarm: Alarm
  readonly #onDeliveries: () => void
  readonly #everyMs: number
  /** The term under which the outbox was found empty with nobody listening. */
  #emptiedIn: number | null = null

  constructor(
    context: EngineContext,
    { elector, audience }: { readonly elector: Elector; readonly audience: Audience },
    onDeliveries: () => void,
  ) {
    super()
    this.#context = context
    this.#elector = elector
    this.#audience = audience
    this.#onDeliveries = onDeliveries
    this.#alarm = new Alarm(context.clock)
    // A second by the host's clock.
    this.#everyMs = context.clock.longestSleepMs / 30
  }

  /** Something may have happened, somebody listens now, or this node leads now. */
  wake(): void {
    this.#alarm.ring()
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const more = this.#hasWork() && (await this.#pass())
      const ms = this.#audience.heard.length > 0 ? this.#everyMs : this.#context.clock.longestSleepMs
      if (!more) await this.#alarm.wait(ms, signal, { idle: true })
    }
  }

  #hasWork(): boolean {
    const term = this.#elector.term()
    return term !== null && (this.#audience.heard.length > 0 || this.#emptiedIn !== term.id)
  }

  /** Whether to go on at once. */
  async #pass(): Promise<boolean> {
    const { store, clock, logger, nodeId } = this.#context
    const term = this.#elector.term()
    if (term === null) return false
    const listened = this.#audience.heard.length > 0
    const leader = { termId: term.id, holder: nodeId }
    try {
      const result = await store.notices.passNotices({ leader, limit: batchNotices, now: clock.now() })
      if (!result.led) this.#elector.doubt(term.id)
      if (result.deliveries > 0) this.#onDeliveries()
      if (result.led && !result.more) this.#emptiedIn = listened ? null : term.id
      return result.led && result.more
    } catch (error) {
      logger.warn('Could not pass on what is to be told to webhooks; trying again', { error })
      return false
    }
  }
}
