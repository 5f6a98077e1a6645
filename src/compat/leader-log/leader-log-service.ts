/**
 * The leader log exactly by the rules of its document, over any model. These rules lose some missed tasks:
 * `LeaderLogCoordinator` keeps the same log and looks further back (docs/guide/leader-log.md).
 */

import { systemClock } from '../../app/cluster/system-clock.ts'
import { refuseUnknown } from '../../app/config/call-options.ts'
import { EvertickError } from '../../core/error.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Clock } from '../../engine/clock.ts'
import type { FindOptions, LeaderTerm, SchedulerLeaderLogModel } from './leader-term.ts'

export interface SchedulerLeaderLogServiceOptions {
  /** A term without a stop time counts as ended this long after its last heartbeat. @default 300000 */
  readonly gracePeriodMs?: number
  /** @default the host's clock */
  readonly clock?: Pick<Clock, 'now'>
}

const defaultGraceMs = 5 * 60 * 1_000

export class SchedulerLeaderLogService {
  readonly #model: SchedulerLeaderLogModel
  readonly #graceMs: number
  readonly #clock: Pick<Clock, 'now'>

  constructor(model: SchedulerLeaderLogModel, options: SchedulerLeaderLogServiceOptions = {}) {
    refuseUnknown(options, ['gracePeriodMs', 'clock'], 'SchedulerLeaderLogService')
    this.#model = model
    this.#graceMs = parseDuration(options.gracePeriodMs ?? defaultGraceMs, 'gracePeriodMs')
    this.#clock = options.clock ?? systemClock
  }

  /** The latest term: before a new leader has inserted its own, that of the leader before it. */
  async getPreviousLeaderTerm(): Promise<LeaderTerm | null> {
    return await this.#latest()
  }

  /** The stop time; else the last heartbeat plus the grace period; else the start plus the grace period. */
  getEffectiveEndTime(term: LeaderTerm): Date {
    // Callers without types pass on the null of `getPreviousLeaderTerm`.
    if (!(term as LeaderTerm | null)) {
      throw new EvertickError('invalid_option', 'No previous term provided', {
        field: 'term',
        next: 'Where there is no term yet, there is no end: check for null first.',
      })
    }
    if (term.stop_time) return term.stop_time
    return new Date((term.last_heartbeat ?? term.start_time).getTime() + this.#graceMs)
  }

  /** Null where nobody ever led. */
  async getPreviousEffectiveEndTime(): Promise<Date | null> {
    const previous = await this.getPreviousLeaderTerm()
    return previous === null ? null : this.getEffectiveEndTime(previous)
  }

  /** Whether the latest term has handled what was missed before it; true where nobody ever led. */
  async arePreviousMissedTasksHandled(): Promise<boolean> {
    const previous = await this.getPreviousLeaderTerm()
    return previous === null ? true : previous.handled_missed_tasks
  }

  /** A record of its own for every term, also where the same instance leads again. */
  async insertNewLeaderTerm(leaderInstance: string, handledMissedTasks = false): Promise<LeaderTerm> {
    const now = this.#now()
    return await this.#model.insert({
      leader_instance: leaderInstance,
      start_time: now,
      stop_time: null,
      last_heartbeat: now,
      handled_missed_tasks: handledMissedTasks,
    })
  }

  async updateLastHeartbeat(termId: number): Promise<void> {
    await this.#model.update({ id: termId }, { last_heartbeat: this.#now() })
  }

  /** Of the two readings that the document allows, the one of its workflow: stop and heartbeat are both set to now. */
  async setStopTime(termId: number): Promise<void> {
    const now = this.#now()
    await this.#model.update({ id: termId }, { stop_time: now, last_heartbeat: now })
  }

  async markMissedTasksHandled(termId: number): Promise<void> {
    await this.#model.update({ id: termId }, { handled_missed_tasks: true })
  }

  async getCurrentLeaderTerm(): Promise<LeaderTerm | null> {
    return await this.#latest()
  }

  /** One instance's history of leadership, newest first unless asked otherwise. */
  async getTermsByInstance(leaderInstance: string, options: FindOptions = {}): Promise<LeaderTerm[]> {
    return await this.#model.find({ leader_instance: leaderInstance }, { orderBy: newestFirst(), ...options })
  }

  async #latest(): Promise<LeaderTerm | null> {
    const [latest] = await this.#model.find({}, { orderBy: newestFirst(), limit: 1 })
    return latest ?? null
  }

  #now(): Date {
    return new Date(this.#clock.now())
  }
}

function newestFirst(): NonNullable<FindOptions['orderBy']> {
  return [{ column: 'start_time', order: 'desc' }]
}
