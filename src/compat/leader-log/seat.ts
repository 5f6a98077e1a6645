/**
 * The leader's seat. A lock with a fence decides who takes it, and each time that somebody does is a term in the log. There
 * are two kinds: Evertick's own leadership, where lock and log are one transaction, or a named lock beside any log.
 */
import type { Grant, HeldLock } from '../../app/locks/held-lock.ts'
import { EvertickError } from '../../core/error.ts'
import { Candidate } from '../../engine/candidate.ts'
import type { Clock } from '../../engine/clock.ts'
import type { Logger } from '../../engine/logger.ts'
import type { Store } from '../../store/store.ts'
import type { LeaderTerm, SchedulerLeaderLogModel } from './leader-term.ts'

export interface Sitting {
  readonly term: LeaderTerm
  /** Grows with every sitting. */
  readonly fence: number
}

export interface Seat {
  /** Null where somebody else leads. */
  take(now: number): Promise<Sitting | null>
  /** False where it is no longer ours. */
  renew(sitting: Sitting, now: number): Promise<boolean>
  /** Frees it for others, and logs the term as ended at that instant. */
  leave(sitting: Sitting, at: number): Promise<void>
}

export type TakeLock = (name: string, ttlMs: number) => Promise<Grant | null>

interface SeatOptions {
  readonly instanceId: string
  readonly leaseMs: number
  readonly clock: Clock
}

/** The lock `leader` of Evertick's database; a term's id is its fence. */
export class DatabaseSeat implements Seat {
  readonly #store: Store
  readonly #options: SeatOptions
  readonly #logger: Logger
  readonly #candidate: Candidate
  #warned = false

  constructor(store: Store, options: SeatOptions, logger: Logger) {
    this.#store = store
    this.#options = options
    this.#logger = logger
    this.#candidate = new Candidate(store, options.clock, options.instanceId, options.leaseMs)
  }

  async take(now: number): Promise<Sitting | null> {
    const { term: elected, leader } = await this.#candidate.run(now)
    if (leader !== null) await this.#warnOfNode(leader.holder)
    if (elected === null) return null
    const term = {
      id: elected.id,
      leader_instance: this.#options.instanceId,
      start_time: new Date(now),
      stop_time: null,
      last_heartbeat: new Date(now),
      handled_missed_tasks: false,
    }
    return { term, fence: elected.id }
  }

  async renew({ term }: Sitting, now: number): Promise<boolean> {
    const { instanceId, leaseMs } = this.#options
    // Coordinators go by the heartbeats of their document alone.
    const renewal = { termId: term.id, holder: instanceId, now, leaseMs, lifeline: null }
    return await this.#store.cluster.renewTerm(renewal)
  }

  async leave({ term }: Sitting, at: number): Promise<void> {
    await this.#store.cluster.endTerm(term.id, this.#options.instanceId, at)
  }

  /** A scheduling node of Evertick would lead here for ever, and would enqueue none of our tasks. */
  async #warnOfNode(holder: string): Promise<void> {
    if (this.#warned) return
    const nodes = await this.#store.cluster.listNodes()
    if (!nodes.some(({ id }) => id === holder)) return
    this.#warned = true
    this.#logger.warn(
      `The Evertick node ${holder} leads in this database: a coordinator needs one of its own`,
    )
  }
}

const seatName = 'scheduler_leader'

/** A named lock, and a log that somebody else keeps. */
export class LockSeat implements Seat {
  readonly #model: SchedulerLeaderLogModel
  readonly #takeLock: TakeLock
  readonly #options: SeatOptions
  #held: HeldLock | null = null

  constructor(model: SchedulerLeaderLogModel, takeLock: TakeLock, options: SeatOptions) {
    this.#model = model
    this.#takeLock = takeLock
    this.#options = options
  }

  async take(now: number): Promise<Sitting | null> {
    const grant = await this.#takeLock(seatName, this.#options.leaseMs)
    if (grant === null) return null
    const at = new Date(now)
    try {
      const term = await this.#model.insert({
        leader_instance: this.#options.instanceId,
        start_time: at,
        stop_time: null,
        last_heartbeat: at,
        handled_missed_tasks: false,
      })
      this.#held = grant.lock
      return { term, fence: grant.lock.fence }
    } catch (error) {
      // Nobody leads without a term. If the release fails, too, the lock runs out.
      await grant.lock.release().catch(() => false)
      throw error
    }
  }

  async renew({ term }: Sitting, now: number): Promise<boolean> {
    try {
      await this.#held?.extend(this.#options.leaseMs)
    } catch (error) {
      if (error instanceof EvertickError && error.code === 'lock_lost') return false
      throw error
    }
    await this.#model.update({ id: term.id }, { last_heartbeat: new Date(now) })
    return true
  }

  /** The log first: whoever takes the lock reads it. */
  async leave({ term }: Sitting, at: number): Promise<void> {
    const ended = new Date(at)
    await this.#model.update({ id: term.id }, { stop_time: ended, last_heartbeat: ended })
    await this.#held?.release()
    this.#held = null
  }
}
