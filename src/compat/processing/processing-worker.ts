/**
 * A worker of the engine under the name and with the words of the lease-based workers: it takes jobs from its queue,
 * extends their leases while they run, and gives them back when it stops. A crashed one's jobs are taken up by others, or
 * by itself after a restart, once their leases have ended.
 */

import { EventEmitter } from 'node:events'
import { contextOf } from '../../app/app-context.ts'
import { stopOnSignal } from '../../app/cluster/stop-signals.ts'
import { stderrLogger } from '../../app/log/stderr-logger.ts'
import { EvertickError } from '../../core/error.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { JobContext } from '../../engine/worker/handler.ts'
import { errorFrom, OutcomeSignal } from '../../engine/worker/outcome-signal.ts'
import type { Evertick } from '../../evertick.ts'
import type { OwnNode } from '../own-node.ts'
import { ActiveJobs, type ProcessingCounts } from './active-jobs.ts'
import { hearEnds } from './job-ends.ts'
import type { ActiveProcessingJob, ProcessingJob } from './processing-job.ts'
import { ProcessingJobRepository } from './processing-job-repository.ts'
import { jobNameOf, processingDefinition } from './processing-queue.ts'
import {
  defaultWorkerId,
  type ProcessingWorkerOptions,
  parseWorkerOptions,
  type WorkerSettings,
  workerNode,
} from './processing-worker-options.ts'

export interface ProcessingWorkerEvents<Payload = unknown> {
  'job:started': [job: ActiveProcessingJob<Payload>]
  'job:completed': [job: ProcessingJob<Payload>]
  /** An attempt failed. The status says whether the job is tried again (`retry`) or not (`failed`). */
  'job:failed': [job: ProcessingJob<Payload>, error: Error]
}

export interface ProcessingWorkerStatus {
  readonly running: boolean
  readonly workerId: string
  readonly queue: string
  readonly activeJobs: number
  readonly maxConcurrentJobs: number
  /** Since this worker was made. */
  readonly counts: ProcessingCounts
  /** The jobs under way, which this worker holds. */
  readonly leases: readonly { readonly id: string; readonly job_id: string; readonly attempts: number }[]
}

type Work<Payload> = (job: ActiveProcessingJob<Payload>) => unknown

export class ProcessingWorker<Payload = unknown> extends EventEmitter<ProcessingWorkerEvents<Payload>> {
  readonly #options: ProcessingWorkerOptions<Payload>
  readonly #settings: WorkerSettings
  readonly #node: OwnNode
  readonly #active = new ActiveJobs<Payload>()
  #work: Work<Payload> | null
  #workerId: string | null = null
  #starting: Promise<void> | null = null
  #stopping: Promise<void> | null = null
  #concurrency: number
  #running = false
  #unsubscribers: (() => void)[] = []

  /** Connects at `start()`. */
  constructor(options: ProcessingWorkerOptions<Payload> = {}) {
    super()
    this.#options = options
    this.#settings = parseWorkerOptions(options)
    this.#concurrency = this.#settings.maxConcurrentJobs
    this.#work = options.processJob ?? null
    this.#node = workerNode(options, this.#settings, () => this.workerId)
  }

  /** Its name in `locked_by`. */
  get workerId(): string {
    const { evertick, workerId, clock } = this.#options
    this.#workerId ??= evertick?.nodeId ?? workerId ?? defaultWorkerId(clock)
    return this.#workerId
  }

  /** Says what the worker does, where no subclass and no option says so. Before `start()`. */
  handle(work: Work<Payload>): this {
    this.#work = work
    return this
  }

  /** Takes back leases that have ended, then begins to work. */
  async start(): Promise<void> {
    await this.#stopping
    this.#starting ??= this.#start().catch(async (error: unknown) => {
      await this.#end(0)
      throw error
    })
    await this.#starting
  }

  /** Takes no more jobs, waits for those under way up to `timeout` (30 s), and gives back the rest. */
  async stop({ timeout = '30s' }: { timeout?: Duration } = {}): Promise<void> {
    const timeoutMs = parseDuration(timeout, 'timeout')
    this.#stopping ??= this.#stop(timeoutMs).finally(() => {
      this.#stopping = null
    })
    await this.#stopping
  }

  /** As this process knows it; `ProcessingJobService.getActiveLeases` asks the database. */
  getStatus(): ProcessingWorkerStatus {
    const { jobs, counts } = this.#active
    return {
      running: this.#running,
      workerId: this.workerId,
      queue: this.#settings.queue,
      activeJobs: jobs.length,
      maxConcurrentJobs: this.#concurrency,
      counts,
      leases: jobs.map(({ id, job_id, attempts }) => ({ id, job_id, attempts })),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** The work. What it throws is kept as `last_error`, and the job is tried again, three times in all. */
  protected async processJob(job: ActiveProcessingJob<Payload>): Promise<unknown> {
    if (this.#work !== null) return await this.#work(job)
    throw new EvertickError('invalid_definition', 'This worker does not know what to do with a job.', {
      field: 'processJob',
      next: 'Override processJob, pass it as an option, or call handle() before start().',
    })
  }

  async #start(): Promise<void> {
    const evertick = await this.#node.opened()
    const { queue, signals } = this.#settings
    const repository = new ProcessingJobRepository({ evertick, queue })
    await repository.resetExpiredLeases()
    await evertick.start()
    if (this.#options.evertick !== undefined) await this.#readConcurrency(evertick)
    if (this.#work !== null || this.processJob !== ProcessingWorker.prototype.processJob) {
      const job = processingDefinition(queue).handle((context) => this.#run(context, repository))
      this.#unsubscribers = hearEnds(evertick, this.#active, {
        completed: (ended) => this.#tell('job:completed', ended),
        failed: (ended, error) => this.#tell('job:failed', ended, error),
      })
      await evertick.define(job)
    } else {
      this.#logger.warn('A ProcessingWorker without processJob only takes back expired leases')
    }
    this.#running = true
    if (signals) this.#unsubscribers.push(stopOnSignal(() => this.#stopOnSignal()))
  }

  async #stop(timeoutMs: number): Promise<void> {
    const [started] = await Promise.allSettled([this.#starting])
    if (started.status === 'fulfilled' && this.#options.evertick !== undefined) await this.#leave(timeoutMs)
    await this.#end(timeoutMs)
  }

  async #stopOnSignal(): Promise<void> {
    try {
      await this.stop()
    } catch (error) {
      this.#logger.error('Could not stop gracefully', { error })
    }
  }

  async #end(timeoutMs: number): Promise<void> {
    try {
      await this.#node.stop({ timeout: timeoutMs })
    } finally {
      for (const unsubscribe of this.#unsubscribers.splice(0)) unsubscribe()
      this.#active.clear()
      this.#running = false
      this.#starting = null
    }
  }

  /** A node that was given goes on with its other jobs. */
  async #leave(timeoutMs: number): Promise<void> {
    const evertick = await this.#node.opened()
    await evertick.forget(jobNameOf(this.#settings.queue))
    const over = new AbortController()
    await Promise.race([this.#active.idle(), contextOf(evertick).clock.sleep(timeoutMs, over.signal)])
    over.abort()
  }

  async #run(context: JobContext, repository: ProcessingJobRepository): Promise<unknown> {
    const { executionId: id, attempt, transaction } = context
    const row = (await repository.findById(id)) as ProcessingJob<Payload> | null
    if (row === null) throw new EvertickError('execution_not_found', `The job ${id} no longer exists.`)
    const job = { ...row, attempts: attempt, signal: context.signal, transaction }
    this.#active.begin(job)
    this.#tell('job:started', job)
    try {
      return await this.processJob(job)
    } catch (thrown) {
      this.#active.threw(id, thrown)
      // What was asked to stop is no failure; the engine knows why it was.
      if (thrown instanceof OutcomeSignal || context.signal.aborted) throw thrown
      const error = errorFrom(thrown)
      const afterMs = this.#settings.pollIntervalMs
      throw new OutcomeSignal(error.message, { kind: 'retry', afterMs, error })
    }
  }

  /** A node that was given must serve the queue, or nothing would ever run. */
  async #readConcurrency(evertick: Evertick): Promise<void> {
    const { queue } = this.#settings
    const node = (await evertick.nodes.list()).find(({ id }) => id === evertick.nodeId)
    const concurrency = node?.roles.includes('worker') ? node.queues[queue] : undefined
    if (concurrency === undefined) {
      throw new EvertickError('invalid_option', `The Evertick that was given does not serve "${queue}".`, {
        field: 'evertick',
        next: `Open it with queues: { ${JSON.stringify(queue)}: { concurrency: 1 } } and the role worker.`,
      })
    }
    this.#concurrency = concurrency
  }

  /** A listener that throws disturbs no job. */
  #tell<Name extends keyof ProcessingWorkerEvents<Payload>>(
    name: Name,
    ...args: ProcessingWorkerEvents<Payload>[Name]
  ): void {
    try {
      EventEmitter.prototype.emit.call(this, name, ...args)
    } catch (error) {
      this.#logger.error(`A listener of ${name} threw`, { error })
    }
  }

  get #logger() {
    return this.#options.logger ?? stderrLogger
  }
}

/** On the database that the environment names. Say what it does with `handle()`, then `start()` it. */
export const processingWorker = new ProcessingWorker()
