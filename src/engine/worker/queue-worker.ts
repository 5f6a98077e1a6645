/**
 * Serves one queue: claims what is ready into free slots, keeps a few claims in reserve where jobs are short, and runs
 * them with bounded concurrency.
 */
import type { ClaimedExecution } from '../../store/store.ts'
import type { EngineContext } from '../context.ts'
import { Alarm, Service } from '../service.ts'
import type { Held } from './held.ts'
import { earlyMs, Performer, type PerformerParts } from './performer.ts'
import { Reserve, type Reserved } from './reserve.ts'
import type { Slot } from './slot.ts'

export interface QueueWorkerOptions {
  readonly queue: string
  readonly concurrency: number
  readonly leaseMs: number
  readonly pollMs: number
}

interface Rest {
  readonly ms: number
  readonly idle: boolean
}

/** The reserve holds about this much work. */
const reserveMs = 250
/** One claim of more would hold up the event loop, and gains nothing. */
const maxReserve = 500
/** More than a claim can take is reserved this long before its instant: then there is no time to claim it. */
const upcomingMs = 1_000
const maxUpcoming = 10_000
/** Ticks are accounted 1.5 s ahead: who looks then knows what to come back for. */
const crowdMs = 2_000
/** After a disk error it does not try again at once. */
const notStartedMs = 1_000

export class QueueWorker extends Service {
  readonly #context: EngineContext
  readonly #options: QueueWorkerOptions
  readonly #parts: PerformerParts
  readonly #alarm: Alarm
  readonly #reserve: Reserve
  readonly #performer: Performer
  /** Slots that are taken: by what runs, by starts that are being written, and by a claim that is under way. */
  #busy = 0
  #claiming = true
  /** The last claim found nothing, and nobody has said since that there is something. */
  #foundNothing = false
  #offered = false
  #abandoned = false
  #onIdle: (() => void)[] = []
  readonly #onFree = () => this.#takeNext()

  constructor(context: EngineContext, options: QueueWorkerOptions, parts: PerformerParts) {
    super()
    this.#context = context
    this.#options = options
    this.#parts = parts
    this.#alarm = new Alarm(context.clock)
    this.#reserve = new Reserve(context, options.queue, parts.finisher)
    this.#performer = new Performer(context, parts)
  }

  wake(): void {
    this.#foundNothing = false
    this.#alarm.ring()
  }

  /**
   * For what this process is about to enqueue: only where nothing is known to wait, since it would pass in front of that.
   * One at a time: what many callers enqueue at once shares a write instead.
   */
  offerSlot(): Slot | null {
    const { queue, concurrency, leaseMs } = this.#options
    const { clock, nodeId } = this.#context
    if (!this.#claiming || !this.#foundNothing || this.#offered || this.#busy >= concurrency) return null
    this.#offered = true
    this.#busy += 1
    return {
      offer: { nodeId, queue, now: clock.now(), leaseMs },
      begin: (claim) => {
        this.#offered = false
        // A turn later: whoever enqueued it is answered before a handler that does not wait for anything.
        this.#context.defer(() => this.#beginOffered(claim))
      },
      free: () => {
        this.#offered = false
        this.#takeNext()
      },
    }
  }

  /** After a stop that did not wait for it, its lease runs out by itself. */
  #beginOffered(claim: ClaimedExecution): void {
    if (this.#abandoned) return
    this.#launch({ claim, held: this.#parts.keeper.hold(claim, claim.leasedUntil) })
  }

  /** Executions whose handler is under way. */
  get running(): number {
    return this.#performer.running
  }

  /** No new claims; what is in reserve goes back, uncounted. */
  async stopClaiming(): Promise<void> {
    this.#claiming = false
    await this.stop()
    const reserved = this.#reserve.takeAll()
    for (const { held } of reserved) this.#parts.keeper.letGo(held)
    if (reserved.length === 0) return
    try {
      const claims = reserved.map(({ claim }) => claim)
      await this.#context.store.work.releaseClaims(claims, this.#context.clock.now())
    } catch (error) {
      // The leases run out by themselves; what must not happen is that the rest of the stop does not.
      this.#context.logger.warn(`Could not give back ${reserved.length} claims`, { error })
    }
  }

  /** After `stopClaiming`: nothing runs any more, or is about to. */
  async settled(): Promise<void> {
    if (this.#busy > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  /** Gives back what still runs: its fence keeps whatever it writes later harmless. */
  async abandon(): Promise<void> {
    this.#abandoned = true
    await this.#performer.abandon()
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let rest: Rest = { ms: 1_000, idle: false }
      try {
        rest = this.#restUntil(await this.#claim())
      } catch (error) {
        this.#context.logger.warn(`Could not claim from queue ${this.#options.queue}; trying again`, {
          error,
        })
      }
      await this.#alarm.wait(rest.ms, signal, rest)
    }
  }

  #restUntil(nextAt: number): Rest {
    const ms = Math.max(1, nextAt - this.#context.clock.now())
    return { ms: Math.min(this.#options.pollMs, ms), idle: nextAt === Number.POSITIVE_INFINITY }
  }

  /** Returns when to claim again; infinity where only news, or what others do unheard, can bring more. */
  async #claim(): Promise<number> {
    const { store, clock, nodeId } = this.#context
    const { queue, concurrency, leaseMs } = this.#options
    this.#reserve.ripen(clock.now() + earlyMs)
    this.#fill()
    const free = concurrency - this.#busy
    const room = Math.max(0, this.#reserveTarget(maxReserve) - this.#reserve.size)
    const limit = free + room
    if (limit <= 0) return Number.POSITIVE_INFINITY
    const numbered = room > 0 ? { reserveFrom: await this.#reserve.open() } : {}
    const now = clock.now()
    this.#busy += free
    const result = await store.work
      .claimExecutions({
        nodeId,
        queue,
        limit,
        start: free,
        now,
        readyBy: now + earlyMs,
        upcomingBy: now + crowdMs,
        leaseMs,
        ...numbered,
      })
      .catch((error: unknown) => {
        this.#busy -= free
        this.#reserve.giveUpCount()
        throw error
      })
    this.#foundNothing = result.claimed.length === 0
    const started = result.claimed.filter((claim) => claim.started)
    this.#busy -= free - started.length
    const onDisk = await this.#onDisk(started)
    const begun: Reserved[] = []
    for (const claim of result.claimed) {
      const reserved = { claim, held: this.#parts.keeper.hold(claim, claim.leasedUntil) }
      if (claim.started) begun.push(reserved)
      else this.#reserve.add(reserved, now + earlyMs)
    }
    this.#fill()
    // Last: a short handler ends at once, and its slot then takes from the reserve.
    for (const reserved of begun) {
      if (onDisk || reserved.claim.spec.onCrash === 'retry') this.#launch(reserved)
      else this.#giveUp(reserved)
    }
    if (result.claimed.length === limit) return Number.POSITIVE_INFINITY
    const { nextReadyAt, upcoming } = result
    const nextAt = Math.min(nextReadyAt ?? Number.POSITIVE_INFINITY, this.#reserve.ripeAt) - earlyMs
    const isCrowd = nextReadyAt !== null && upcoming >= limit
    return isCrowd ? Math.min(nextAt, await this.#reserveCrowd(nextReadyAt)) : nextAt
  }

  /** A part of a lease at most, or it might run out before the run begins. */
  get #upcomingMs(): number {
    return Math.min(upcomingMs, this.#options.leaseMs / 4)
  }

  /**
   * Many ticks at one instant, say. They only wait here: whoever changes their jobs before may take them back. Returns when
   * to come again for more.
   */
  async #reserveCrowd(readyAt: number): Promise<number> {
    const { store, clock, nodeId } = this.#context
    const { queue, leaseMs } = this.#options
    const from = readyAt - this.#upcomingMs
    if (from > clock.now()) return from
    const room = this.#reserveTarget(maxUpcoming) - this.#reserve.size - this.#reserve.upcoming
    const limit = Math.min(maxReserve, room)
    if (limit <= 0) return Number.POSITIVE_INFINITY
    const reserveFrom = await this.#reserve.open()
    const now = clock.now()
    const readyBy = now + this.#upcomingMs
    const request = { nodeId, queue, limit, start: 0, now, readyBy, leaseMs, reserveFrom }
    const { claimed } = await store.work.claimExecutions(request).catch((error: unknown) => {
      this.#reserve.giveUpCount()
      throw error
    })
    for (const claim of claimed) {
      const held = this.#parts.keeper.hold(claim, claim.leasedUntil)
      if (claim.fence > 1) this.#readAhead(held)
      this.#reserve.add({ claim, held }, now + earlyMs)
    }
    return claimed.length === limit ? now : Number.POSITIVE_INFINITY
  }

  /** Sleepers, say. What is written to a memo from now on is ours, or a signal, which its wait looks for. */
  #readAhead(held: Held): void {
    held.memos = this.#context.store.steps.listSteps(held.id)
    // Whoever asks for it reads again.
    held.memos.catch(() => {})
  }

  /** What must never run twice may only start once its claim is on disk. */
  async #onDisk(claims: readonly ClaimedExecution[]): Promise<boolean> {
    if (!claims.some(({ spec }) => spec.onCrash === 'fail')) return true
    try {
      await this.#context.store.sync()
      return true
    } catch (error) {
      this.#context.logger.warn('Could not make claims durable; they do not start', { error })
      return false
    }
  }

  /** Gives back what was marked as started and cannot start; its slot is free again. */
  #giveUp(reserved: Reserved): void {
    void this.#performer.giveBack(reserved, notStartedMs)
    this.#takeNext()
  }

  /** None until the first runs have been timed; none for long jobs, whose reserve another node could run meanwhile. */
  #reserveTarget(most: number): number {
    const { meanMs } = this.#performer
    if (meanMs === null) return 0
    return Math.min(most, Math.floor((this.#options.concurrency * reserveMs) / Math.max(0.05, meanMs)))
  }

  /** Where the answer to its claim or start came after its lease had run out, another worker may have it by now. */
  #launch(reserved: Reserved): void {
    const { held } = reserved
    if (held.stopReason === 'lost' || held.leasedUntil <= this.#context.clock.now()) this.#giveUp(reserved)
    else this.#performer.perform(reserved, this.#onFree)
  }

  /** The slot that has just become free goes to the reserve, by the same flush that writes the end of the last run. */
  #takeNext(): void {
    const next = this.#claiming ? this.#reserve.take() : undefined
    if (next === undefined) {
      this.#busy -= 1
      if (this.#busy === 0) for (const resolve of this.#onIdle.splice(0)) resolve()
      this.#alarm.ring()
      return
    }
    if (this.#reserve.size < this.#reserveTarget(maxReserve) / 2) this.#alarm.ring()
    this.#begin(next)
  }

  /** Slots that became free while the claim was under way had no reserve to take from. */
  #fill(): void {
    // Counted, not looked at again: a worker that is stopping takes nothing, and would look for ever.
    const count = Math.min(this.#reserve.size, this.#options.concurrency - this.#busy)
    for (let taken = 0; taken < count; taken += 1) {
      this.#busy += 1
      this.#takeNext()
    }
  }

  #begin(next: Reserved): void {
    const { claim, held } = next
    this.#reserve.begin(claim, (ours) => {
      if (ours) return this.#begun({ held, claim: { ...claim, attempt: claim.attempt + 1, started: true } })
      this.#parts.keeper.letGo(held)
      return this.#takeNext()
    })
  }

  #begun(begun: Reserved): void {
    if (begun.claim.spec.onCrash === 'retry') return this.#launch(begun)
    void this.#onDisk([begun.claim]).then((onDisk) => (onDisk ? this.#launch(begun) : this.#giveUp(begun)))
  }
}
