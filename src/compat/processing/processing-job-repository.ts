/**
 * Leases by hand: what a `ProcessingWorker` does by itself, one call at a time. Every write after a claim names its
 * fence, so that a worker that was superseded gets false, and writes nothing.
 */

import type { AppContext } from '../../app/app-context.ts'
import { contextOf } from '../../app/app-context.ts'
import { pageLimit, refuseBadName, refuseUnknown } from '../../app/config/call-options.ts'
import { applyJob } from '../../app/job/apply-jobs.ts'
import { leaseSlackMs } from '../../core/attempt/lease.ts'
import type { Execution } from '../../core/execution/execution.ts'
import type { EnqueueOptions } from '../../engine/worker/handler.ts'
import type { Claim } from '../../store/store.ts'
import type { OwnNode } from '../own-node.ts'
import { LeaseHolders } from './lease-holders.ts'
import { parseSeconds, type ReleaseStatus, refuseBadRelease, releaseEnding } from './lease-options.ts'
import {
  newProcessingJob,
  type ProcessingJob,
  type ProcessingJobStatus,
  processingJobOf,
  statesOf,
} from './processing-job.ts'
import { type ProcessingJobOptions, parseJobOptions } from './processing-job-options.ts'
import { jobNameOf, newJobFrom, processingDefinition } from './processing-queue.ts'

export type CreateProcessingJobOptions = Pick<EnqueueOptions, 'runAt' | 'priority' | 'tx'>

export interface ListProcessingJobs {
  readonly status?: ProcessingJobStatus
  /** @default 100 */
  readonly limit?: number
  /** Only those that were created before the one with this id: for the next page. */
  readonly before?: string
}

export class ProcessingJobRepository {
  readonly #queue: string
  readonly #jobName: string
  readonly #node: OwnNode
  readonly #holders: LeaseHolders
  #defined: Promise<void> | null = null

  /** Connects at its first use. */
  constructor(options: ProcessingJobOptions = {}) {
    const { queue, node } = parseJobOptions(options, 'ProcessingJobRepository')
    this.#queue = queue
    this.#jobName = jobNameOf(queue)
    this.#node = node
    this.#holders = new LeaseHolders(this.#jobName)
  }

  /** The payload, or a row `{ job_id, payload }`. With a `job_id` that an unfinished job has, it returns that job. */
  async createJob(data: unknown, options: CreateProcessingJobOptions = {}): Promise<ProcessingJob> {
    refuseUnknown(options, ['runAt', 'priority', 'tx'], 'createJob')
    const evertick = await this.#node.opened()
    const app = contextOf(evertick)
    const { jobId, payload } = newJobFrom(data, app.maxPayloadBytes)
    await this.#define(app)
    const named = jobId === null ? {} : { unique: jobId, metadata: { job_id: jobId } }
    const { id } = await evertick.enqueue(this.#jobName, payload, { ...options, ...named })
    // Nobody sees it before the caller's own transaction commits.
    return (await this.findById(id)) ?? newProcessingJob(id, jobId, this.#queue, payload, app.clock.now())
  }

  async findById(id: string): Promise<ProcessingJob | null> {
    const app = await this.#app()
    const execution = await this.#find(app, id)
    return execution === null ? null : await jobOf(app, execution)
  }

  /** Newest first. */
  async list(query: ListProcessingJobs = {}): Promise<ProcessingJob[]> {
    refuseUnknown(query, ['status', 'limit', 'before'], 'list')
    const { status, before } = query
    const limit = pageLimit(query.limit, 100)
    const app = await this.#app()
    const page = { job: this.#jobName, limit, ...(before === undefined ? {} : { afterId: before }) }
    const states = status === undefined ? [undefined] : statesOf(status)
    const executions = await Promise.all(
      states.map((state) =>
        app.store.executions.listExecutions(state === undefined ? page : { ...page, state }),
      ),
    )
    const newest = executions.flat().toSorted((a, b) => (a.id < b.id ? 1 : -1))
    return await Promise.all(newest.slice(0, limit).map((execution) => jobOf(app, execution)))
  }

  /**
   * The next job that is pending or to be retried, leased to this worker; null where there is none. Of two workers that
   * ask at once, one gets it.
   */
  async acquireLease(workerId: string, leaseDurationSeconds = 300): Promise<ProcessingJob | null> {
    refuseBadName(workerId, 'workerId')
    const leaseMs = parseSeconds(leaseDurationSeconds, 'leaseDurationSeconds')
    const app = await this.#app()
    const { store, clock } = app
    await this.#holders.register(app, workerId, leaseMs)
    const now = clock.now()
    const request = { nodeId: workerId, queue: this.#queue, limit: 1, start: 1, now, readyBy: now, leaseMs }
    const [claim] = (await store.work.claimExecutions(request)).claimed
    if (claim === undefined) return null
    this.#holders.hold(workerId, claim)
    // The caller may act on it: a power cut must not undo it.
    await store.sync()
    return await this.findById(claim.id)
  }

  /**
   * Ends the attempt: done, failed for good, or to be tried again, which is failed, too, once the attempts are used up.
   * False where the worker no longer holds the job: nothing was written.
   */
  async releaseLease(
    jobId: string,
    workerId: string,
    status: ReleaseStatus,
    error: unknown = null,
  ): Promise<boolean> {
    refuseBadRelease(status, error)
    const app = await this.#app()
    const execution = await this.#find(app, jobId)
    const claim = this.#claimOf(execution, workerId)
    if (execution === null || claim === null) return false
    const now = app.clock.now()
    const { attempt } = execution
    const ending = releaseEnding(status, error, execution, now)
    const attempts = [{ ...claim, attempt, ending, finishedAt: now }]
    const { refused } = await app.store.work.finishAttempts({ nodeId: workerId, attempts, now })
    // A claim that is refused once stays known, or the next call would be taken for a successor's of the same name.
    if (refused.length > 0) return false
    this.#holders.letGo(workerId, execution.id)
    app.enqueued()
    return true
  }

  /** Adds to what is left of the lease. False where the worker no longer holds the job. */
  async extendLease(jobId: string, workerId: string, additionalSeconds: number): Promise<boolean> {
    const additionalMs = parseSeconds(additionalSeconds, 'additionalSeconds')
    const app = await this.#app()
    const execution = await this.#find(app, jobId)
    const claim = this.#claimOf(execution, workerId)
    if (claim === null) return false
    const now = app.clock.now()
    const leasedUntil = Math.max(now, execution?.leasedUntil ?? now) + additionalMs
    await this.#holders.register(app, workerId, leasedUntil - now)
    const { lost } = await app.store.work.extendLeases({ claims: [claim], leasedUntil, now })
    return lost.length === 0
  }

  /**
   * What no worker has extended in time goes back to be retried, or has failed, if that was its last attempt. Returns how
   * many. A node that runs does the same by itself, a second after a lease has ended.
   */
  async resetExpiredLeases(): Promise<number> {
    const app = await this.#app()
    const expired = await this.#leases(app, 'expired')
    if (expired.length === 0) return 0
    const seen = expired.flatMap(({ id, fence, leasedUntil }) =>
      leasedUntil === null ? [] : [{ id, fence, leasedUntil }],
    )
    const taken = await app.store.work.expireLeases({
      now: app.clock.now(),
      // Only these, and only if they are still as they were seen.
      limit: 0,
      silent: seen,
      random: () => 0,
    })
    app.jobChanged()
    return taken.expired.length
  }

  async getActiveLeases(): Promise<ProcessingJob[]> {
    const app = await this.#app()
    return await Promise.all((await this.#leases(app, 'active')).map((lease) => jobOf(app, lease)))
  }

  /** Jobs that are stuck, until somebody resets them. */
  async getExpiredLeases(): Promise<ProcessingJob[]> {
    const app = await this.#app()
    return await Promise.all((await this.#leases(app, 'expired')).map((lease) => jobOf(app, lease)))
  }

  /** Leases stay as they are: each runs out by its time. */
  async close(): Promise<void> {
    if (this.#holders.any) await this.#holders.signOff(await this.#app())
    this.#defined = null
    await this.#node.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #app(): Promise<AppContext> {
    return await this.#node.context()
  }

  /** A producer may come before any worker: it writes the same definition. */
  async #define(app: AppContext): Promise<void> {
    this.#defined ??= applyJob(app, processingDefinition(this.#queue), 'code').catch((error: unknown) => {
      this.#defined = null
      throw error
    })
    await this.#defined
  }

  async #find({ store }: AppContext, id: string): Promise<Execution | null> {
    const execution = await store.executions.findExecution(id)
    return execution?.jobName === this.#jobName ? execution : null
  }

  /** The worker's claim, as this process knows it, or as the row says that this worker holds it. */
  #claimOf(execution: Execution | null, workerId: string): Claim | null {
    if (execution === null) return null
    const held = this.#holders.held(workerId, execution.id)
    if (held !== null) return held
    return execution.state === 'running' && execution.leasedBy === workerId ? execution : null
  }

  /** By the time as it stands; the engine gives the leases of others another second. */
  async #leases({ store, clock }: AppContext, which: 'active' | 'expired'): Promise<Execution[]> {
    const leases = await store.executions.listLeases(which, clock.now() + leaseSlackMs)
    return leases.filter(({ jobName }) => jobName === this.#jobName)
  }
}

async function jobOf({ store }: AppContext, execution: Execution): Promise<ProcessingJob> {
  const attempts = execution.state === 'retrying' ? await store.executions.listAttempts(execution.id) : []
  return processingJobOf(execution, attempts.at(-1)?.finishedAt ?? null)
}
