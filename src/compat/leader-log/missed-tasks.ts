/**
 * While this process leads: finds the tasks that were missed before its term or around its start, and enqueues them under
 * the lock `missed_task_processing`. Whatever fails is tried again at the next heartbeat.
 */
import { LockExtender } from '../../app/locks/lock-extender.ts'
import { safeGapStart } from '../../core/leader/safe-gap.ts'
import { type LeaderTerm as CoreTerm, effectiveEnd } from '../../core/leader/term.ts'
import type { CoordinatorConfig, MissedTask } from './coordinator-options.ts'
import type { LeaderTerm, SchedulerLeaderLogModel } from './leader-term.ts'
import type { OnceOnly } from './once-only.ts'
import type { TakeLock } from './seat.ts'

const lockName = 'missed_task_processing'

interface Todo {
  readonly term: LeaderTerm
  /** Whether the time before the term still has to be repaired. */
  gap: boolean
  /** From where to look again, or null. */
  from: number | null
  /** From where the first heartbeat looks again, or null once it has. */
  seam: number | null
  /** Whether the log says that this term has handled what was missed; null where a write did not say how it ended. */
  handled: boolean | null
}

export class MissedTasks<Task extends MissedTask> {
  readonly #config: CoordinatorConfig<Task>
  readonly #model: SchedulerLeaderLogModel
  readonly #takeLock: TakeLock
  readonly #once: OnceOnly
  #todo: Todo | null = null
  /** The work of a term that has just ended, which the log must still mention. */
  #ended: Todo | null = null
  #running: Promise<void> | null = null
  /** Somebody asked for another look while one was under way. */
  #wanted = false
  /** Writes to the log keep their order. */
  #writing: Promise<void> = Promise.resolve()
  /** When the first leader began: nothing was missed before that. */
  #beganAt: number | null = null

  constructor(
    config: CoordinatorConfig<Task>,
    model: SchedulerLeaderLogModel,
    takeLock: TakeLock,
    once: OnceOnly,
  ) {
    this.#config = config
    this.#model = model
    this.#takeLock = takeLock
    this.#once = once
  }

  elected(term: LeaderTerm): void {
    const startAt = term.start_time.getTime()
    // A timer may have fired a moment before this process knew that it leads: the first heartbeat looks once more.
    this.#ended = null
    this.#todo = { term, gap: true, from: null, seam: startAt - this.#config.heartbeatMs, handled: false }
  }

  lost(): void {
    this.#ended = this.#todo
    this.#todo = null
  }

  /** The enqueueing of a task failed, or did not say how it ended. */
  unclear(scheduledFor: number): void {
    const todo = this.#todo ?? this.#ended
    if (todo !== null) lookFrom(todo, scheduledFor - this.#config.heartbeatMs)
  }

  /**
   * Call it before a heartbeat or a stop, since both let the next leader look back less far. Where tasks of this term are
   * still open, it writes that to the log first, so that the next leader looks back beyond this term.
   */
  async noteOpenTasks(): Promise<void> {
    const { clock, heartbeatMs } = this.#config
    const { oldest } = this.#once
    // A younger task lies within the margin that the next leader looks back anyway.
    if (oldest !== null && oldest < clock.now() - heartbeatMs) this.unclear(oldest)
    const todo = this.#todo ?? this.#ended
    if (todo !== null && todo.from !== null) await this.#writeHandled(todo, false)
  }

  afterHeartbeat(): void {
    const todo = this.#todo
    if (todo === null || todo.seam === null) return
    lookFrom(todo, todo.seam)
    todo.seam = null
  }

  /** Starts to repair what is open, unless a repair is under way. */
  go(): void {
    const todo = this.#todo
    if (todo === null || !isOpen(todo)) return
    if (this.#running !== null) {
      this.#wanted = true
      return
    }
    this.#wanted = false
    this.#running = this.#go(todo).finally(() => {
      this.#running = null
      if (this.#wanted) this.go()
    })
  }

  async idle(): Promise<void> {
    await this.#running
  }

  get open(): boolean {
    return this.#todo !== null && isOpen(this.#todo)
  }

  async #go(todo: Todo): Promise<void> {
    const { clock, leaseMs, logger } = this.#config
    try {
      const grant = await this.#takeLock(lockName, leaseMs)
      if (grant === null) {
        logger.info('Missed tasks wait: somebody else is processing some of them')
        return
      }
      const extender = new LockExtender(grant, leaseMs, clock)
      try {
        await this.#repair(todo, extender.lost)
      } finally {
        await extender.stop()
        // A lock that cannot be released runs out by itself.
        await grant.lock.release().catch(() => false)
      }
    } catch (error) {
      logger.error('Missed tasks are left for the next heartbeat', { error })
    }
  }

  async #repair(todo: Todo, lost: AbortSignal): Promise<void> {
    const { gap, term } = todo
    const before = gap ? await this.#termsBefore(term) : []
    const gapFrom = safeGapStart(before.map(logged), term.start_time.getTime(), this.#config.heartbeatMs)
    const again = todo.from
    // Tasks that become unclear from here on need another look.
    todo.from = null
    const starts = [gapFrom, again].filter((start) => start !== null)
    let done: Repaired | null = null
    try {
      done = starts.length === 0 ? { found: 0, enqueued: 0 } : await this.#enqueueMissed(starts, lost)
    } finally {
      if (done === null && again !== null) lookFrom(todo, again)
    }
    if (done === null) return
    todo.gap = false
    if (todo.from === null) await this.#writeHandled(todo, true)
    this.#report(term, before[0] ?? null, done, gap)
  }

  async #writeHandled(todo: Todo, handled: boolean): Promise<void> {
    const write = async () => {
      if (todo.handled === handled) return
      // A write that failed may still have happened.
      todo.handled = null
      await this.#model.update({ id: todo.term.id }, { handled_missed_tasks: handled })
      todo.handled = handled
    }
    const written = this.#writing.then(write)
    this.#writing = written.catch(() => {})
    await written
  }

  /** Null where some tasks are left. */
  async #enqueueMissed(starts: readonly number[], lost: AbortSignal): Promise<Repaired | null> {
    this.#beganAt ??= await this.#firstStart()
    const from = new Date(Math.max(this.#beganAt + 1, Math.min(...starts)))
    const to = new Date(this.#config.clock.now())
    const tasks = await this.#config.findMissedTasks(from, to)
    let [failed, enqueued] = [0, 0]
    for (const task of tasks) {
      if (lost.aborted) return null
      const { taskId, scheduleTime } = task
      try {
        const outcome = await this.#once.enqueue(taskId, scheduleTime, (entry) =>
          this.#config.enqueue(task, entry),
        )
        if (outcome === 'not_leading') return null
        if (outcome === 'enqueued') enqueued += 1
      } catch (error) {
        // The other tasks go on.
        failed += 1
        this.#config.logger.error(`Could not enqueue the missed task ${taskId}`, { error })
      }
    }
    return failed > 0 ? null : { span: { from, to }, found: tasks.length, enqueued }
  }

  #report(term: LeaderTerm, previous: LeaderTerm | null, done: Repaired, gap: boolean): void {
    const { span, found, enqueued } = done
    // Nobody led before, or a second look found nothing.
    if (span === undefined || (!gap && enqueued === 0)) return
    const { graceMs, logger, onRepaired } = this.#config
    logger.info(
      `Of ${found} tasks since ${span.from.toISOString()}, ${enqueued} were missed and have been enqueued`,
    )
    const previousEffectiveEnd = previous === null ? null : new Date(effectiveEnd(logged(previous), graceMs))
    onRepaired({ term, ...span, previousEffectiveEnd, found, enqueued })
  }

  async #firstStart(): Promise<number> {
    const [first] = await this.#model.find({}, { orderBy: [{ column: 'id', order: 'asc' }], limit: 1 })
    return first?.start_time.getTime() ?? 0
  }

  /** Newest first, as far back as the first that had handled its own gap. */
  async #termsBefore({ id }: LeaderTerm): Promise<LeaderTerm[]> {
    for (let limit = 10; ; limit *= 10) {
      // By id: hosts whose clocks disagree also disagree on start times.
      const terms = await this.#model.find({}, { orderBy: [{ column: 'id', order: 'desc' }], limit })
      const before = terms.filter((term) => term.id < id)
      if (terms.length < limit || before.some((term) => term.handled_missed_tasks)) return before
    }
  }
}

interface Repaired {
  readonly span?: { readonly from: Date; readonly to: Date }
  readonly found: number
  readonly enqueued: number
}

function isOpen({ gap, from, handled }: Todo): boolean {
  return gap || from !== null || handled !== true
}

function lookFrom(todo: Todo, from: number): void {
  todo.from = Math.min(todo.from ?? from, from)
}

/** The same term as core names its parts. */
function logged(term: LeaderTerm): CoreTerm {
  return {
    id: term.id,
    leaderInstance: term.leader_instance,
    startAt: term.start_time.getTime(),
    stopAt: term.stop_time?.getTime() ?? null,
    lastHeartbeatAt: term.last_heartbeat?.getTime() ?? null,
    handledMissedTasks: term.handled_missed_tasks,
  }
}
