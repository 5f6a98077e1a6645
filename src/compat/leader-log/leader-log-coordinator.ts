/**
 * For an app that keeps its timers (node-schedule) and its queue (node-resque): one of its processes leads, keeps the
 * leader log, and enqueues what was missed while nobody led. Each task once, none lost.
 */
import {
  type CoordinatorConfig,
  type CoordinatorPlaces,
  type LeaderLogCoordinatorOptions,
  type MissedTask,
  parseCoordinatorConfig,
  parseCoordinatorPlaces,
} from './coordinator-options.ts'
import { type CoordinatorParts, openParts } from './coordinator-parts.ts'
import type { LeaderTerm } from './leader-term.ts'
import { Leadership } from './leadership.ts'
import { MissedTasks } from './missed-tasks.ts'
import { type EnqueueOutcome, OnceOnly, type QueueEntry } from './once-only.ts'

interface Running {
  readonly leadership: Pick<Leadership<never>, 'term' | 'fence' | 'start' | 'stop'>
  readonly once: OnceOnly
  close(): Promise<void>
}

export class LeaderLogCoordinator<Task extends MissedTask = MissedTask> {
  readonly instanceId: string
  readonly #places: CoordinatorPlaces
  readonly #config: Omit<CoordinatorConfig<Task>, 'clock'>
  #starting: Promise<Running> | null = null
  #running: Running | null = null

  constructor(options: LeaderLogCoordinatorOptions<Task>) {
    this.#places = parseCoordinatorPlaces(options)
    this.#config = parseCoordinatorConfig(options)
    this.instanceId = this.#config.instanceId
  }

  /** Connects, and runs for leader from now on. */
  async start(): Promise<void> {
    this.#starting ??= this.#start()
    await this.#starting
  }

  /** Ends a term gracefully: what is under way is finished, stop and heartbeat are logged, and the next may lead at once. */
  async stop(): Promise<void> {
    const starting = this.#starting
    this.#starting = null
    const [started] = await Promise.allSettled([starting])
    if (started.status === 'rejected' || started.value === null) return
    await started.value.leadership.stop()
    if (this.#running === started.value) this.#running = null
    await started.value.close()
  }

  /** Whether this process may enqueue now. */
  get isLeader(): boolean {
    return this.currentTerm !== null
  }

  /** The term in which this process leads, or null. */
  get currentTerm(): LeaderTerm | null {
    return this.#running?.leadership.term ?? null
  }

  /**
   * For a timer that has fired: enqueues the task, unless this process does not lead or somebody has enqueued it before.
   * Where it throws, the leader finds the task again at its next heartbeat.
   */
  async enqueueOnce(
    taskId: string,
    scheduleTime: Date,
    enqueue: (entry: QueueEntry) => unknown,
  ): Promise<EnqueueOutcome> {
    if (this.#running === null) return 'not_leading'
    return await this.#running.once.enqueue(taskId, scheduleTime, enqueue)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #start(): Promise<Running> {
    try {
      const parts = await openParts(this.#places, this.#config)
      const running = wire({ ...this.#config, clock: parts.clock }, parts)
      running.leadership.start()
      this.#running = running
      return running
    } catch (error) {
      this.#starting = null
      throw error
    }
  }
}

/** The parts of a coordinator, put together. */
export function wire<Task extends MissedTask>(
  config: CoordinatorConfig<Task>,
  { model, seat, takeLock, marks, close }: Omit<CoordinatorParts, 'clock'>,
): Running {
  const leadership = new Leadership(config, seat, marks)
  const once: OnceOnly = new OnceOnly(
    marks,
    () => leadership.fence,
    (scheduledFor) => missed.unclear(scheduledFor),
  )
  const missed: MissedTasks<Task> = new MissedTasks(config, model, takeLock, once)
  leadership.serve(missed, once)
  return { leadership, once, close }
}
