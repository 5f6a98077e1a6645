/**
 * Jobs with the flat fields of the interval scheduler, beside those of `evertick.jobs`. It reads and writes the same rows,
 * and leaves every decision to the engine.
 */

import type { AppContext } from '../../app/app-context.ts'
import { contextOf } from '../../app/app-context.ts'
import type { ActorOptions } from '../../app/change-context.ts'
import { refuseUnknown } from '../../app/config/call-options.ts'
import {
  changesOfLegacy,
  type LegacyChanges,
  type LegacyJob,
  type LegacyView,
  legacyView,
  optionsOfLegacy,
} from '../../app/job/legacy/legacy-job.ts'
import { keptKey } from '../../app/job/legacy/legacy-kept.ts'
import type { ListedJob } from '../../app/job/list-jobs.ts'
import type { HeldLock } from '../../app/locks/held-lock.ts'
import type { ExecutionView, JobView } from '../../app/views.ts'
import { refuseIllegal, type StatusAction, statusFor } from '../../core/job/job-status.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration, Instant } from '../../core/schedule/schedule.ts'
import type { Evertick } from '../../evertick.ts'
import type { OwnNode } from '../own-node.ts'
import { clearJobLocks, jobLocks, takeJobLock } from './job-locks.ts'
import { readyJobs } from './ready-jobs.ts'
import { nodeFor, type RepositoryOptions } from './repository-node.ts'

/** A job in the words of the interval scheduler, beside those of `evertick.jobs`. */
export type IntervalJob = JobView & LegacyView

const defaultLockTtl = '5m'

export class JobRepository {
  readonly #node: OwnNode

  /** On a node that is there, or on a database of its own that is opened at first use. */
  constructor(given: Evertick | OwnNode | RepositoryOptions) {
    this.#node = nodeFor(given, 'JobRepository')
  }

  /** With neither an interval nor a cron, it runs once, at once. */
  async create(job: LegacyJob, options: ActorOptions = {}): Promise<IntervalJob> {
    const { evertick, app } = await this.#opened()
    return worded(await evertick.jobs.create(optionsOfLegacy(job, app.clock.now()), options))
  }

  /** By id or name. */
  async get(job: string): Promise<IntervalJob> {
    const { evertick } = await this.#opened()
    return worded(await evertick.jobs.get(job))
  }

  /** By name, a page at a time; without the payloads, which `get` has. */
  async list(
    query: { tag?: string; search?: string; limit?: number; cursor?: string } = {},
  ): Promise<{ jobs: (ListedJob & LegacyView)[]; nextCursor: string | null }> {
    refuseUnknown(query, ['tag', 'search', 'limit', 'cursor'], 'list')
    const { evertick } = await this.#opened()
    const { jobs, nextCursor } = await evertick.jobs.list(query)
    return { jobs: jobs.map(worded), nextCursor }
  }

  /** Fields that are not given stay as they are. */
  async update(job: string, changes: LegacyChanges, options: ActorOptions = {}): Promise<IntervalJob> {
    const { evertick } = await this.#opened()
    const before = await evertick.jobs.get(job)
    return worded(await evertick.jobs.update(before.id, changesOfLegacy(before, changes), options))
  }

  async delete(job: string, options: ActorOptions = {}): Promise<void> {
    const { evertick } = await this.#opened()
    await evertick.jobs.delete(job, options)
  }

  /** How many jobs there are of each status, running ones apart: `executions.running` of the metrics counts those. */
  async countByStatus(): Promise<Readonly<Record<string, number>>> {
    const { evertick } = await this.#opened()
    return (await evertick.metrics()).jobs.byStatus
  }

  /** Jobs that are due now, neither paused nor running nor locked; those that have waited longest first. */
  async getJobsReadyToRun({ limit = 100 }: { limit?: number } = {}): Promise<IntervalJob[]> {
    const { app } = await this.#opened()
    const ready = await readyJobs(app, limit)
    return ready.map(({ view, dueAt }) => ({ ...worded(view), next_run_at: new Date(dueAt) }))
  }

  /**
   * The job's lock, or null where somebody holds it: another caller, or a run. While it is held by hand, no
   * `IntervalScheduler` runs the job: what falls due waits.
   */
  async acquireLock(
    job: string,
    token?: string,
    { ttl = defaultLockTtl }: { ttl?: Duration } = {},
  ): Promise<HeldLock | null> {
    const { evertick, app } = await this.#opened()
    const { id } = await evertick.jobs.get(job)
    const grant = await takeJobLock(app, id, { token, ttlMs: parseDuration(ttl, 'ttl') })
    return grant?.lock ?? null
  }

  /** False where the token is not, or no longer, that of the holder. */
  async releaseLock(job: string, token: string | Pick<HeldLock, 'token'>): Promise<boolean> {
    const { evertick, app } = await this.#opened()
    const { id } = await evertick.jobs.get(job)
    return await jobLocks(app).release(id, typeof token === 'string' ? token : token.token)
  }

  /** Takes back the leases and locks whose time has been over for `maxAge`; returns how many. */
  async clearStaleLocks(maxAge: Duration = 0): Promise<number> {
    const { evertick, app } = await this.#opened()
    const maxAgeMs = parseDuration(maxAge, 'maxAge')
    const leases = await evertick.leases.resetExpired({ olderThan: maxAgeMs })
    return leases + (await clearJobLocks(app, app.clock.now() - maxAgeMs))
  }

  async pauseJob(
    job: string,
    options: ActorOptions & { reason?: string; until?: Instant | Duration } = {},
  ): Promise<IntervalJob> {
    const { evertick, id } = await this.#legal('pause', job)
    return worded(await evertick.jobs.pause(id, options))
  }

  /** Goes on with the next tick; those that it missed are skipped. */
  async resumeJob(job: string, options: ActorOptions = {}): Promise<IntervalJob> {
    const { evertick, id } = await this.#legal('resume', job)
    return worded(await evertick.jobs.resume(id, options))
  }

  /** Ends the schedule and whatever waits; a run that goes on has its signal aborted. */
  async cancelJob(job: string, options: ActorOptions = {}): Promise<IntervalJob> {
    const { evertick, id } = await this.#legal('cancel', job)
    return worded(await evertick.jobs.cancel(id, options))
  }

  /** Runs the job's newest failed run again. */
  async retryJob(job: string, options: ActorOptions = {}): Promise<ExecutionView> {
    const { evertick, id } = await this.#legal('retry', job)
    return await evertick.jobs.retry(id, options)
  }

  /** A node that was given stays as it is. */
  async close(): Promise<void> {
    await this.#node.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #opened(): Promise<{ evertick: Evertick; app: AppContext }> {
    const evertick = await this.#node.opened()
    return { evertick, app: contextOf(evertick) }
  }

  /** Refuses with both statuses named. Where two ask at once, the table of states decides in the database. */
  async #legal(action: StatusAction, job: string): Promise<{ evertick: Evertick; id: string }> {
    const { evertick } = await this.#opened()
    const { id, name, status, state, lastExecution } = await this.get(job)
    refuseIllegal(action, name, statusFor(action, { status, state, last: lastExecution?.state ?? null }))
    return { evertick, id }
  }
}

/** Without the key in its metadata that only the translation needs. */
function worded<View extends ListedJob>(view: View): View & LegacyView {
  const { [keptKey]: _kept, ...metadata } = view.metadata
  return { ...view, ...legacyView(view), metadata }
}
