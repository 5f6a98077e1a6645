/**
 * Serves one queue: claims what is ready into free slots, keeps a few claims in reserve where jobs are short, and runs
 * them with bounded concurrency.
 */
import { type Ending, endingOf } from '../../core/attempt/outcome.ts'
import type { ClaimedExecution, FinishedAttempt } from '../../store/store.ts'
import type { EngineContext } from '../context.ts'
import type { ExecutionEvent } from '../events.ts'
import { Alarm, Service } from '../service.ts'
import type { Finisher } from './finisher.ts'
import type { Held } from './held.ts'
import type { LeaseKeeper } from './lease-keeper.ts'
import { Reserve, type Reserved } from './reserve.ts'
import type { Ran, Runner } from './runner.ts'

export interface QueueWorkerOptions {
  readonly queue: string
  readonly concurrency: number
  readonly leaseMs: number
  readonly pollMs: number
}

export interface QueueWorkerParts {
  readonly runner: Runner
  readonly finisher: Finisher
  readonly keeper: LeaseKeeper
}

/** Rows that become ready this soon are claimed now and started on time. */
export const earlyMs = 100
/** The reserve holds about this much work. */
const reserveMs = 250
/** One claim of more would hold up the event loop, and gains nothing. */
const maxReserve = 500
/** More than there are free slots is reserved this long before its instant: then there is no time to claim it. */
const upcomingMs = 1_000
const maxUpcoming = 10_000
/** Ticks are accounted 1.5 s ahead: who looks then knows what to come back for. */
const crowdMs = 2_000
/** A disk that refuses is not asked again at once. */
const notStartedMs = 1_000

export class QueueWorker extends Service {
  readonly #context: EngineContext
  readonly #options: QueueWorkerOptions
  readonly #parts: QueueWorkerParts
  readonly #alarm: Alarm
  readonly #running = new Map<string, { readonly done: Promise<void>; readonly reserved: Reserved }>()
  /** Starts that are being written: neither in reserve any more nor running yet. */
  readonly #beginning = new Set<Promise<void>>()
  readonly #reserve: Reserve
  #busy = 0
  #handling = 0
  /** A moving mean of run times; unknown until something has run. */
  #runMs: number | null = null
  #claiming = true

  constructor(context: EngineContext, options: QueueWorkerOptions, parts: QueueWorkerParts) {
    super()
    this.#context = context
    this.#options = options
    this.#parts = parts
    this.#alarm = new Alarm(context.clock)
    this.#reserve = new Reserve(context, options.queue, parts.finisher)
  }

  wake(): void {
    this.#alarm.ring()
  }

  /** Executions whose handler is under way. */
  get running(): number {
    return this.#handling
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
      await this.#context.store.releaseClaims(claims, this.#context.clock.now())
    } catch (error) {
      // The leases run out by themselves; what must not happen is that the rest of the stop does not.
      this.#context.logger.warn(`Could not give back ${reserved.length} claims`, { error })
    }
  }

  async settled(): Promise<void> {
    while (this.#running.size + this.#beginning.size > 0) {
      await Promise.all([...this.#beginning, ...[...this.#running.values()].map(({ done }) => done)])
    }
  }

  /** Gives back what still runs: its fence keeps whatever it writes later harmless. */
  async abandon(): Promise<void> {
    const { finisher, keeper } = this.#parts
    const now = this.#context.clock.now()
    const given = [...this.#running.values()].map(async ({ reserved: { claim, held } }) => {
      const ending = this.#endingOf(claim, { kind: 'snooze', afterMs: 0 })
      await finisher.finish(finishedOf(claim, ending, { startedAt: now, finishedAt: now }))
      keeper.letGo(held)
    })
    await Promise.all(given)
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let waitMs = this.#options.pollMs
      try {
        waitMs = await this.#claim()
      } catch (error) {
        this.#context.logger.warn(`Could not claim from queue ${this.#options.queue}; trying again`, {
          error,
        })
        waitMs = 1_000
      }
      await this.#alarm.wait(waitMs, signal)
    }
  }

  async #claim(): Promise<number> {
    const { store, clock, nodeId } = this.#context
    const { queue, concurrency, leaseMs, pollMs } = this.#options
    this.#reserve.ripen(clock.now() + earlyMs)
    this.#fill()
    const free = concurrency - this.#busy
    const room = Math.max(0, this.#reserveTarget(maxReserve) - this.#reserve.size)
    const limit = free + room
    if (limit <= 0) return pollMs
    const numbered = room > 0 ? { reserveFrom: await this.#reserve.open() } : {}
    const now = clock.now()
    this.#busy += free
    const result = await store
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
    const started = result.claimed.filter((claim) => claim.started)
    this.#busy -= free - started.length
    const onDisk = await this.#onDisk(started)
    for (const claim of result.claimed) {
      const reserved = { claim, held: this.#parts.keeper.hold(claim, claim.leasedUntil) }
      if (!claim.started) this.#reserve.add(reserved, now + earlyMs)
      else if (onDisk || claim.spec.onCrash === 'retry') this.#launch(reserved)
      else this.#giveUp(reserved)
    }
    this.#fill()
    if (result.claimed.length === limit) return pollMs
    const { nextReadyAt, upcoming } = result
    const nextAt = Math.min(nextReadyAt ?? Number.POSITIVE_INFINITY, this.#reserve.ripeAt) - earlyMs
    const isCrowd = nextReadyAt !== null && upcoming > concurrency - this.#busy
    const lookAt = isCrowd ? Math.min(nextAt, await this.#reserveCrowd(nextReadyAt)) : nextAt
    return Math.min(pollMs, Math.max(1, lookAt - clock.now()))
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
    const { claimed } = await store.claimExecutions(request).catch((error: unknown) => {
      this.#reserve.giveUpCount()
      throw error
    })
    for (const claim of claimed) {
      this.#reserve.add({ claim, held: this.#parts.keeper.hold(claim, claim.leasedUntil) }, now + earlyMs)
    }
    return claimed.length === limit ? now : Number.POSITIVE_INFINITY
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
  #giveUp({ claim, held }: Reserved): void {
    const { finisher, keeper } = this.#parts
    const ending = this.#endingOf(claim, { kind: 'snooze', afterMs: notStartedMs })
    const now = this.#context.clock.now()
    void finisher.finish(finishedOf(claim, ending, { startedAt: now, finishedAt: now }))
    keeper.letGo(held)
    this.#takeNext()
  }

  /** None until the first runs have been timed; none for long jobs, whose reserve another node could run meanwhile. */
  #reserveTarget(most: number): number {
    if (this.#runMs === null) return 0
    const { concurrency } = this.#options
    return Math.min(most, Math.floor((concurrency * reserveMs) / Math.max(0.05, this.#runMs)))
  }

  #launch(reserved: Reserved): void {
    const { id } = reserved.claim
    const done = this.#runOne(reserved).finally(() => {
      this.#running.delete(id)
      this.#takeNext()
    })
    this.#running.set(id, { done, reserved })
  }

  /** The slot that has just become free goes to the reserve, by the same flush that writes the end of the last run. */
  #takeNext(): void {
    const next = this.#claiming ? this.#reserve.take() : undefined
    if (next === undefined) {
      this.#busy -= 1
      this.#alarm.ring()
      return
    }
    if (this.#reserve.size < this.#reserveTarget(maxReserve) / 2) this.#alarm.ring()
    const beginning = this.#begin(next).finally(() => this.#beginning.delete(beginning))
    this.#beginning.add(beginning)
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

  async #begin(next: Reserved): Promise<void> {
    if (await this.#reserve.begin(next)) {
      const begun = { ...next, claim: { ...next.claim, attempt: next.claim.attempt + 1, started: true } }
      if (await this.#onDisk([begun.claim])) this.#launch(begun)
      else this.#giveUp(begun)
      return
    }
    this.#parts.keeper.letGo(next.held)
    this.#takeNext()
  }

  async #runOne({ claim, held }: Reserved): Promise<void> {
    const { clock, events } = this.#context
    // Never early, though a timer may ring a millisecond before its time. By the clock that claimed it, it is due this
    // soon; one that was set back since is not waited for.
    const due = clock.monotonic() + Math.min(earlyMs, claim.readyAt - clock.now())
    for (let left = due - clock.monotonic(); left > 0; left = due - clock.monotonic()) {
      await new Promise<void>((resolve) => clock.timer(left, resolve))
    }
    const event = eventOf(claim)
    events.emit('execution:started', event)
    const startedAt = clock.now()
    if (claim.place !== null) held.unnotedSince = startedAt
    this.#handling += 1
    const ran = await this.#parts.runner.run(claim, held)
    this.#handling -= 1
    const finishedAt = clock.now()
    this.#runMs =
      this.#runMs === null ? finishedAt - startedAt : this.#runMs * 0.9 + (finishedAt - startedAt) * 0.1
    this.#takeOver(claim, held, ran, { event, startedAt, finishedAt })
  }

  /** Writes the end without keeping the slot waiting for it. */
  #takeOver(
    claim: ClaimedExecution,
    held: Held,
    ran: Ran,
    at: { event: ExecutionEvent; startedAt: number; finishedAt: number },
  ): void {
    const { keeper, finisher } = this.#parts
    const durationMs = at.finishedAt - at.startedAt
    if (ran.kind === 'committed') {
      keeper.letGo(held)
      this.#context.events.emit('execution:completed', { ...at.event, result: ran.result, durationMs })
      return
    }
    const ending = this.#endingOf(claim, ran.outcome)
    void finisher.finish(finishedOf(claim, ending, at)).then((ours) => {
      keeper.letGo(held)
      if (ours) return this.#tell(at.event, ending, durationMs)
      keeper.abort(held, 'lost')
      return this.#context.events.emit('execution:refused', at.event)
    })
  }

  #endingOf(claim: ClaimedExecution, outcome: Extract<Ran, { kind: 'ended' }>['outcome']): Ending {
    const { clock, random } = this.#context
    const { attempt, cause, maxAttempts, nextTickAt } = claim
    const { retry, overlap } = claim.spec
    const tried = { attempt, maxAttempts, cause, retry, overlap, nextTickAt }
    return endingOf(outcome, tried, clock.now(), random())
  }

  #tell(event: ExecutionEvent, ending: Ending, durationMs: number): void {
    const { events } = this.#context
    switch (ending.state) {
      case 'completed':
        return events.emit('execution:completed', { ...event, result: ending.result, durationMs })
      case 'failed':
        return events.emit('execution:failed', { ...event, error: ending.error })
      case 'cancelled':
        return events.emit('execution:cancelled', { ...event, reason: ending.reason })
      default:
        return events.emit('execution:retrying', {
          ...event,
          error: ending.error,
          readyAt: new Date(ending.readyAt),
        })
    }
  }
}

function finishedOf(
  claim: ClaimedExecution,
  ending: Ending,
  { startedAt, finishedAt }: { readonly startedAt: number; readonly finishedAt: number },
): FinishedAttempt {
  const { id, fence, attempt } = claim
  return { id, fence, attempt, claimed: claim, ending, startedAt, finishedAt }
}

function eventOf(claim: ClaimedExecution): ExecutionEvent {
  const { id, jobName, cause, attempt, scheduledFor } = claim
  return { executionId: id, job: jobName, cause, attempt, scheduledFor: new Date(scheduledFor) }
}
