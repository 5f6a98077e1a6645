/**
 * The enhanced scheduler: schedules in a database, run by as many processes as one likes, changed without a restart, with
 * a history of every run. It wires: a node of the engine does the work, and the parts of this folder speak to it.
 */

import { stopSignals } from '../../app/cluster/stop-signals.ts'
import { databaseFromEnvironment } from '../../app/config/environment.ts'
import { defineJob } from '../../app/job/define-job.ts'
import { DistributedLock } from '../../app/locks/distributed-lock.ts'
import { stderrLogger } from '../../app/log/stderr-logger.ts'
import type { SyncResult } from '../../app/source/sync-source.ts'
import { EvertickError } from '../../core/error.ts'
import type { ExecutionEvent } from '../../engine/events.ts'
import type { Logger } from '../../engine/logger.ts'
import type { JobContext } from '../../engine/worker/handler.ts'
import type { Evertick } from '../../evertick.ts'
import { OwnNode } from '../own-node.ts'
import { JobHistory } from './job-history.ts'
import { underLock } from './run-lock.ts'
import { scheduleHandler, scheduleQueue } from './schedule-record.ts'
import { ScheduleRepository } from './schedule-repository.ts'
import { ScheduleWatcher } from './schedule-watcher.ts'
import {
  checkOptions,
  type EnhancedSchedulerOptions,
  engineOptions,
  redisOf,
  syncedApi,
  syncQueue,
} from './scheduler-options.ts'
import { secondsToMs } from './seconds.ts'

/** A run that is under way in this process. */
export interface ActiveExecution {
  readonly executionId: string
  readonly scheduleId: string
  readonly scheduledFor: Date
  readonly attempt: number
}

const syncJob = 'sync-schedules'

export class EnhancedScheduler {
  readonly repository: ScheduleRepository
  readonly history: JobHistory
  readonly watcher: ScheduleWatcher
  readonly #options: EnhancedSchedulerOptions
  readonly #node: OwnNode
  readonly #logger: Logger
  readonly #active = new Map<string, ActiveExecution>()
  #lock: DistributedLock | null = null
  #runLock: DistributedLock | null = null
  #starting: Promise<Evertick> | null = null

  /** Connects and reads the environment at its first use. */
  constructor(options: EnhancedSchedulerOptions = {}) {
    checkOptions(options)
    const { logger = stderrLogger, scheduleCheckInterval = 60, onAdded, onModified, onDeleted } = options
    this.#options = options
    this.#logger = logger
    this.#node = new OwnNode(() => engineOptions(options))
    this.repository = new ScheduleRepository(this.#node)
    this.history = new JobHistory(this.#node, { logger })
    this.watcher = new ScheduleWatcher({
      repository: this.repository,
      checkInterval: scheduleCheckInterval,
      logger,
      ...(onAdded === undefined ? {} : { onAdded }),
      ...(onModified === undefined ? {} : { onModified }),
      ...(onDeleted === undefined ? {} : { onDeleted }),
    })
  }

  /** Locks for the app's own use: on Redis where there is one, else on the database. */
  get lock(): DistributedLock {
    const { database = databaseFromEnvironment(), nodeId } = this.#options
    const redis = redisOf(this.#options, database)
    this.#lock ??= new DistributedLock({
      ...(redis === undefined ? { database } : { redis }),
      ...(nodeId === undefined ? {} : { instanceId: nodeId }),
    })
    return this.#lock
  }

  /** What runs in this process at present. */
  get activeExecutions(): readonly ActiveExecution[] {
    return [...this.#active.values()]
  }

  /** The engine behind it, for everything that the page does not speak of: explain, audit, metrics, queues. */
  async evertick(): Promise<Evertick> {
    return await this.#node.opened()
  }

  async start(): Promise<void> {
    this.#starting ??= this.#start()
    await this.#starting
  }

  /** Stops taking on runs, waits for those that are under way, and closes everything. */
  async stop(options: Parameters<Evertick['stop']>[0] = {}): Promise<void> {
    const starting = this.#starting
    this.#starting = null
    await Promise.allSettled([starting])
    await this.watcher.stop()
    await this.history.close()
    await this.#node.stop(options)
    await this.#runLock?.close()
    await this.#lock?.close()
    this.#runLock = null
    this.#lock = null
    this.#active.clear()
  }

  /** Runs until SIGINT or SIGTERM, and ends gracefully; resolves with the signal. */
  async run(): Promise<NodeJS.Signals> {
    await this.start()
    const evertick = await this.#node.opened()
    // The engine stops its own work at a signal, and decides about a second one. The watcher stops first.
    const signals = stopSignals(() => {})
    void signals.first.then(() => this.watcher.stop())
    try {
      return await evertick.run()
    } finally {
      signals.off()
      await this.stop()
    }
  }

  /** Syncs now, whatever the interval; `dryRun` only says what would be done. */
  async syncFromApi({ dryRun = false }: { readonly dryRun?: boolean } = {}): Promise<SyncResult> {
    return await this.#sync(undefined, dryRun)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #start(): Promise<Evertick> {
    const { execute } = this.#options
    try {
      const evertick = await this.#node.opened()
      this.#follow(evertick)
      const redis = redisOf(this.#options)
      if (redis !== undefined) this.#runLock = new DistributedLock({ redis })
      await evertick.define(
        defineJob({
          name: scheduleHandler,
          description: 'Runs the schedules',
          queue: scheduleQueue,
          ...(execute === undefined ? {} : { run: (context: JobContext) => this.#execute(context) }),
        }),
      )
      const syncs = syncedApi(this.#options) !== null
      if (syncs) await evertick.define(this.#syncJob())
      await evertick.start()
      if (syncs) await syncFirst(evertick)
      await this.watcher.start()
      return evertick
    } catch (error) {
      this.#starting = null
      throw error
    }
  }

  async #execute(context: JobContext): Promise<unknown> {
    const { execute } = this.#options
    const schedule = await this.repository.get(context.job)
    if (schedule === null || execute === undefined) {
      throw new EvertickError('job_not_found', `The schedule "${context.job}" no longer exists.`, {
        next: 'Nothing needs to be done: it was deleted.',
      })
    }
    const run = (inner: JobContext) => execute(schedule, inner)
    if (this.#runLock === null) return await run(context)
    return await underLock(this.#runLock, `schedule:${schedule.scheduleId}`, context, this.#logger, run)
  }

  /** A job like any other: one node runs it, a failed fetch is tried again with back-off, and its results are kept. */
  #syncJob() {
    return defineJob({
      name: syncJob,
      description: 'Syncs the schedules with the API',
      queue: syncQueue,
      schedule: { every: secondsToMs(this.#options.apiSyncInterval ?? 300, 'apiSyncInterval') },
      retry: { attempts: 5, base: '1s', factor: 3 },
      run: (context) => this.#sync(context.signal, false),
    })
  }

  async #sync(signal: AbortSignal | undefined, dryRun: boolean): Promise<SyncResult> {
    const api = syncedApi(this.#options)
    if (api === null) {
      throw new EvertickError('invalid_option', 'This scheduler has no API to sync from.', {
        field: 'fetchSchedules',
        next: 'Give it fetchSchedules or apiUrl.',
      })
    }
    const result = await this.repository.syncFromApi(api, {
      ...this.#options.apiSync,
      dryRun,
      ...(signal === undefined ? {} : { signal }),
    })
    const { added, modified, removed, invalid, heldBecause } = result
    this.#logger.info(
      `Synced: ${added.length} added, ${modified.length} modified, ${removed.length} disabled, ${invalid.length} invalid`,
    )
    for (const { index, scheduleId, why } of invalid) {
      this.#logger.warn(`Entry ${index} of the API (${scheduleId ?? 'without an id'}) was skipped: ${why}`)
    }
    if (heldBecause !== null) this.#logger.warn(`No schedule was disabled: ${heldBecause}`)
    return result
  }

  #follow(evertick: Evertick): void {
    const ended = (words: string) => (event: ExecutionEvent) => {
      if (!this.#active.delete(event.executionId)) return
      this.#logger.info(`Schedule ${event.job} ${words}`, { executionId: event.executionId })
    }
    evertick.on('execution:started', ({ executionId, job, scheduledFor, attempt }) => {
      if (job === syncJob) return
      this.#active.set(executionId, { executionId, scheduleId: job, scheduledFor, attempt })
      this.#logger.info(`Schedule ${job} started`, { executionId })
    })
    evertick.on('execution:completed', ended('succeeded'))
    evertick.on('execution:failed', ended('failed'))
    evertick.on('execution:retrying', (event) =>
      ended(event.state === 'retrying' ? 'will be tried again' : `is ${event.state}`)(event),
    )
    evertick.on('execution:cancelled', ended('was cancelled'))
    evertick.on('execution:refused', ended('was refused: its lease had passed to another worker'))
  }
}

/** The first answer is not waited for until the first tick; of several processes that start, one asks. */
async function syncFirst(evertick: Evertick): Promise<void> {
  const { lastExecution } = await evertick.jobs.get(syncJob)
  if (lastExecution === null) await evertick.enqueue(syncJob, undefined, { unique: 'first' })
}
