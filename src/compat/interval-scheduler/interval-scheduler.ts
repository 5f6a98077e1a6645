/**
 * A scheduler of jobs that come back every so many minutes, hours or days, with pause, resume, cancel and retry, a
 * history, figures, and locks over many instances: the API of the document, on the engine's jobs.
 */

import { contextOf } from '../../app/app-context.ts'
import type { ActorOptions } from '../../app/change-context.ts'
import { refuseUnknown } from '../../app/config/call-options.ts'
import type { LegacyJob } from '../../app/job/legacy/legacy-job.ts'
import type { Metrics } from '../../app/reports/metrics.ts'
import type { ExecutionView } from '../../app/views.ts'
import { EvertickError } from '../../core/error.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { EventName, Listener } from '../../engine/events.ts'
import type { Evertick } from '../../evertick.ts'
import { OwnNode } from '../own-node.ts'
import { ExecutionRepository } from './execution-repository.ts'
import { jobHandler } from './job-handler.ts'
import { type IntervalJob, JobRepository } from './job-repository.ts'
import { MetricsCollector } from './metrics-collector.ts'
import { RunLocks } from './run-locks.ts'
import {
  executeName,
  type IntervalSchedulerOptions,
  type ParsedOptions,
  parseSchedulerOptions,
} from './scheduler-options.ts'

interface Parts {
  readonly evertick: Evertick
  readonly locks: RunLocks
  readonly metrics: MetricsCollector
}

export class IntervalScheduler {
  readonly jobs: JobRepository
  readonly executions: ExecutionRepository
  readonly #config: ParsedOptions
  readonly #node: OwnNode
  readonly #listeners = new Map<object, (evertick: Evertick) => () => void>()
  readonly #unsubscribers = new Map<object, () => void>()
  #parts: Promise<Parts> | null = null

  /** Opens its database at first use; nothing runs before `start()`. */
  constructor(options: IntervalSchedulerOptions) {
    this.#config = parseSchedulerOptions(options)
    this.#node = new OwnNode(this.#config.node)
    this.jobs = new JobRepository(this.#node)
    this.executions = new ExecutionRepository(this.#node)
  }

  /** Runs what is due from now on, and what fell due while nobody was there, by each job's catch-up policy. */
  async start(): Promise<void> {
    const { evertick, metrics } = await this.#opened()
    metrics.start()
    await evertick.start()
  }

  /**
   * Takes no new work, waits for running jobs up to `timeout` (30 s), then aborts their signals. A node that was given
   * only loses the handlers. It may be started again.
   */
  async stop(options: { timeout?: Duration } = {}): Promise<void> {
    refuseUnknown(options, ['timeout'], 'stop')
    const opening = this.#parts
    this.#parts = null
    if (opening === null) return
    const { evertick, locks, metrics } = await opening
    const { deleteHandler } = contextOf(evertick)
    for (const name of this.#config.works.keys()) await deleteHandler(name)
    await metrics.stop()
    await this.#node.stop(options)
    // A node that was given goes on, and so would our runs.
    await locks.stop(options.timeout)
    for (const unsubscribe of this.#unsubscribers.values()) unsubscribe()
    this.#unsubscribers.clear()
  }

  /** With neither an interval nor a cron, it runs once, at once. */
  async createJob(job: LegacyJob, options: ActorOptions = {}): Promise<IntervalJob> {
    const handler = job.handler ?? this.#handlerFor(job.name)
    return await this.jobs.create(handler === undefined ? job : { ...job, handler }, options)
  }

  async pauseJob(...args: Parameters<JobRepository['pauseJob']>): Promise<IntervalJob> {
    return await this.jobs.pauseJob(...args)
  }

  async resumeJob(job: string, options: ActorOptions = {}): Promise<IntervalJob> {
    return await this.jobs.resumeJob(job, options)
  }

  async cancelJob(job: string, options: ActorOptions = {}): Promise<IntervalJob> {
    return await this.jobs.cancelJob(job, options)
  }

  async retryJob(job: string, options: ActorOptions = {}): Promise<ExecutionView> {
    return await this.jobs.retryJob(job, options)
  }

  /** The newest snapshot, at most `metricsInterval` old while the scheduler runs; `collectedAt` says how old. */
  async getMetrics(): Promise<Metrics> {
    const { metrics } = await this.#opened()
    return await metrics.metrics()
  }

  /** This node's events, also over a stop and a start; returns the function that unsubscribes. */
  on<Name extends EventName>(event: Name, listener: Listener<Name>): () => void {
    const key = {}
    const listen = (evertick: Evertick) => evertick.on(event, listener)
    this.#listeners.set(key, listen)
    void this.#parts?.then(({ evertick }) => this.#subscribe(key, evertick))
    return () => {
      this.#listeners.delete(key)
      this.#unsubscribers.get(key)?.()
      this.#unsubscribers.delete(key)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #opened(): Promise<Parts> {
    this.#parts ??= this.#open().catch((error: unknown) => {
      // The next use tries again.
      this.#parts = null
      throw error
    })
    return await this.#parts
  }

  async #open(): Promise<Parts> {
    const { works, checkMs, metricsMs, logger } = this.#config
    const evertick = await this.#node.opened()
    const app = contextOf(evertick)
    const locks = new RunLocks(app, logger)
    const parts = { jobs: this.jobs, locks, againMs: checkMs }
    for (const [name, work] of works) await app.setHandler(jobHandler(name, work, parts))
    for (const key of this.#listeners.keys()) this.#subscribe(key, evertick)
    return { evertick, locks, metrics: new MetricsCollector(app, metricsMs, logger) }
  }

  #subscribe(key: object, evertick: Evertick): void {
    const listen = this.#listeners.get(key)
    if (listen !== undefined && !this.#unsubscribers.has(key)) this.#unsubscribers.set(key, listen(evertick))
  }

  /** The handler of a job that names none. Undefined where this scheduler has none at all: another process runs it. */
  #handlerFor(name: string): string | undefined {
    const { works } = this.#config
    if (works.has(executeName)) return executeName
    const [only] = works.keys()
    if (works.size <= 1 || works.has(name)) return works.has(name) ? name : only
    throw new EvertickError('invalid_option', `Job "${name}" does not name a handler.`, {
      field: 'handler',
      next: `Write handler: ${[...works.keys()].map((known) => `'${known}'`).join(' or ')}.`,
    })
  }
}
