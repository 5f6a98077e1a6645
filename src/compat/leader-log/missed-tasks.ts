/**
 * While a leader leads: finds what was missed before it, or around it, and has it enqueued, under the lock
 * `missed_task_processing`. Whatever goes wrong leaves it to do; the next heartbeat tries again.
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
  /** What came before the term has not been repaired. */
  gap: boolean
  /** From where to look again, or null. */
  from: number | null
  /** Where the first heartbeat looks again, or null once it has. */
  seam: number | null
  /** What the log says about this term; null where an answer did not come. */
  said: boolean | null
}

export class MissedTasks<Task extends MissedTask> {
  readonly #config: CoordinatorConfig<Task>
  readonly #model: SchedulerLeaderLogModel
  readonly #takeLock: TakeLock
  readonly #once: OnceOnly
  #todo: Todo | null = null
  /** Of a term that has just ended: what the log must still be told. */
  #owed: Todo | null = null
  #running: Promise<void> | null = null
  /** Somebody asked for another look while one was under way. */
  #wanted = false
  /** What is said to the log is said in order. */
  #saying: Promise<void> = Promise.resolve()
  /** Since when somebody leads: before it, nothing was missed. */
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
    this.#owed = null
    this.#todo = { term, gap: true, from: null, seam: startAt - this.#config.heartbeatMs, said: false }
  }

  lost(): void {
    this.#owed = this.#todo
    this.#todo = null
  }

  /** A task whose enqueueing failed, or did not say how it ended. */
  unclear(scheduledFor: number): void {
    const todo = this.#todo ?? this.#owed
    if (todo !== null) lookFrom(todo, scheduledFor - this.#config.heartbeatMs)
  }

  /**
   * A heartbeat or a stop moves the gap of the next leader forward: before it, the log says where something is still to
   * do, so that the next leader goes back behind this term.
   */
  async confess(): Promise<void> {
    const { clock, heartbeatMs } = this.#config
    const { oldest } = this.#once
    // Older than the margin that the next leader has anyway.
    if (oldest !== null && oldest < clock.now() - heartbeatMs) this.unclear(oldest)
    const todo = this.#todo ?? this.#owed
    if (todo !== null && todo.from !== null) await this.#say(todo, false)
  }

  afterHeartbeat(): void {
    const todo = this.#todo
    if (todo === null || todo.seam === null) return
    lookFrom(todo, todo.seam)
    todo.seam = null
  }

  /** Begins to work on what there is to do, unless that is under way. */
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
        // One that cannot be given back runs out by itself.
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
    // What becomes unclear from here on is to be looked at again.
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
    if (todo.from === null) await this.#say(todo, true)
    this.#tell(term, before[0] ?? null, done, gap)
  }

  async #say(todo: Todo, handled: boolean): Promise<void> {
    const say = async () => {
      if (todo.said === handled) return
      // A failed write may have been done all the same.
      todo.said = null
      await this.#model.update({ id: todo.term.id }, { handled_missed_tasks: handled })
      todo.said = handled
    }
    const said = this.#saying.then(say)
    this.#saying = said.catch(() => {})
    await said
  }

  /** Null where something is left to do. */
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
        // The others need not wait for it.
        failed += 1
        this.#config.logger.error(`Could not enqueue the missed task ${taskId}`, { error })
      }
    }
    return failed > 0 ? null : { span: { from, to }, found: tasks.length, enqueued }
  }

  #tell(term: LeaderTerm, previous: LeaderTerm | null, done: Repaired, gap: boolean): void {
    const { span, found, enqueued } = done
    // Nobody ever led before, or a second look has found nothing.
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

function isOpen({ gap, from, said }: Todo): boolean {
  return gap || from !== null || said !== true
}

function lookFrom(todo: Todo, from: number): void {
  todo.from = Math.min(todo.from ?? from, from)
}

/** In the words of core. */
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
