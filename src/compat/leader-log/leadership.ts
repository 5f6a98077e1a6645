/**
 * Election, heartbeat and graceful stop of a coordinator. In any doubt it stops leading: as soon as a renewal fails, and at
 * the latest when its lease is over by its own clock.
 *
 * The engine's `Elector` has another contract: it leads in Evertick's log only, nothing is read from that log to find what
 * was missed, and a term in doubt goes on if its renewal succeeds after all. Here a term in doubt is logged as ended where
 * it was last confirmed, so that the next leader looks further back. Both share `Candidate` and `LeaseEnd`.
 */
import { KeepAlive } from '../../engine/keep-alive.ts'
import { LeaseEnd, type LeaseUntil } from '../../engine/lease-end.ts'
import type { CoordinatorConfig, MissedTask } from './coordinator-options.ts'
import type { LeaderTerm } from './leader-term.ts'
import type { MissedTasks } from './missed-tasks.ts'
import type { Marks, OnceOnly } from './once-only.ts'
import type { Seat, Sitting } from './seat.ts'

interface Lead extends Sitting {
  /** The last instant that the log knows of. */
  confirmedAt: number
}

interface Asked {
  readonly now: number
  readonly until: LeaseUntil
}

/** A heartbeat that failed is tried again after this part of its interval. */
const retryPart = 0.1

export class Leadership<Task extends MissedTask> {
  readonly #config: CoordinatorConfig<Task>
  readonly #seat: Seat
  readonly #marks: Marks
  readonly #heartbeat: KeepAlive
  readonly #end: LeaseEnd
  #missed: MissedTasks<Task> | null = null
  #once: OnceOnly | null = null
  #lead: Lead | null = null
  /** A term that ended in doubt, and that the log does not know of yet. */
  #left: Lead | null = null

  constructor(config: CoordinatorConfig<Task>, seat: Seat, marks: Marks) {
    const { clock, heartbeatMs } = config
    this.#config = config
    this.#seat = seat
    this.#marks = marks
    this.#end = new LeaseEnd(clock, () => this.#lose())
    this.#heartbeat = new KeepAlive({
      clock,
      firstMs: 0,
      everyMs: heartbeatMs,
      retryMs: heartbeatMs * retryPart,
      renew: () => this.#beat(),
      onFailed: (error) => this.#failed(error),
    })
  }

  start(): void {
    this.#heartbeat.start()
  }

  async stop(): Promise<void> {
    await this.#heartbeat.stop()
    await this.#stepDown()
  }

  /** The parts that work while this process leads. */
  serve(missed: MissedTasks<Task>, once: OnceOnly): void {
    this.#missed = missed
    this.#once = once
  }

  /** The term in which this process leads now, or null. */
  get term(): LeaderTerm | null {
    const lead = this.#leading()
    return lead === null ? null : { ...lead.term, last_heartbeat: new Date(lead.confirmedAt) }
  }

  get fence(): number | null {
    return this.#leading()?.fence ?? null
  }

  #leading(): Lead | null {
    return this.#end.isOver ? null : this.#lead
  }

  async #beat(): Promise<void> {
    await this.#leave()
    if (this.#lead === null) await this.#campaign()
    else await this.#renew(this.#lead)
    this.#missed?.go()
    // Not while a repair is open: it must still know what was enqueued before the outage.
    if (this.#lead !== null && this.#missed?.open === false) await this.#marks.purge()
  }

  #failed(error: unknown): void {
    this.#config.logger.warn('A heartbeat failed; not leading until one succeeds', { error })
    this.#lose()
  }

  /** Logs that a term in doubt ended where it was last confirmed: the next leader looks at what was due since then. */
  async #leave(): Promise<void> {
    const left = this.#left
    if (left === null) return
    await this.#missed?.noteOpenTasks()
    await this.#seat.leave(left, left.confirmedAt)
    this.#left = null
  }

  async #campaign(): Promise<void> {
    const { logger, onElected } = this.#config
    const asked = this.#asking()
    const sitting = await this.#seat.take(asked.now)
    if (sitting === null) return
    this.#lead = { ...sitting, confirmedAt: asked.now }
    this.#end.set(asked.until)
    logger.info(`Leading since term ${sitting.term.id}`)
    this.#missed?.elected(sitting.term)
    onElected(sitting.term)
  }

  async #renew(lead: Lead): Promise<void> {
    await this.#missed?.noteOpenTasks()
    const asked = this.#asking()
    const ours = await this.#seat.renew(lead, asked.now)
    // The lease may have ended while the answer was on its way.
    if (this.#lead !== lead) return
    if (!ours) return this.#lose()
    lead.confirmedAt = asked.now
    this.#end.set(asked.until)
    this.#missed?.afterHeartbeat()
  }

  /** The lease counts from before the call: its answer may take any time. */
  #asking(): Asked {
    const { clock, leaseMs } = this.#config
    const [now, monotonic] = [clock.now(), clock.monotonic()]
    return { now, until: { now: now + leaseMs, monotonic: monotonic + leaseMs } }
  }

  #lose(): void {
    const lead = this.#lead
    if (lead === null) return
    this.#left = lead
    this.#letGo(lead)
  }

  #letGo(lead: Lead): void {
    this.#lead = null
    this.#end.clear()
    this.#missed?.lost()
    this.#config.logger.info(`No longer leading (term ${lead.term.id})`)
    this.#config.onLost(lead.term)
  }

  async #stepDown(): Promise<void> {
    const { clock, logger } = this.#config
    try {
      const lead = this.#lead
      if (lead !== null) {
        const [stoppedAt, { leftMs }] = [clock.now(), this.#end]
        this.#letGo(lead)
        await this.#idle(leftMs)
        await this.#missed?.noteOpenTasks()
        await this.#seat.leave(lead, stoppedAt)
      }
      await this.#leave()
    } catch (error) {
      // The lease runs out by itself; the next leader only waits a little longer.
      logger.warn('Could not end the term on stop', { error })
    }
  }

  /** Waits until nothing is half done, but no longer than the lease lasts. */
  async #idle(longestMs: number): Promise<void> {
    const late = new AbortController()
    const idle = Promise.all([this.#missed?.idle(), this.#once?.idle()]).then(() => late.abort())
    await Promise.race([idle, this.#config.clock.sleep(longestMs, late.signal)])
  }
}
