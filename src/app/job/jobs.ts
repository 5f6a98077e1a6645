/** `evertick.jobs`: everything that can be done with jobs, shared by library, CLI and HTTP. */
import { EvertickError } from '../../core/error.ts'
import { enqueuedByMetadata } from '../../core/execution/enqueued-by.ts'
import { type Statistics, statisticsOf } from '../../core/history/statistics.ts'
import type { Job, JobSpec } from '../../core/job/job.ts'
import type { JobOptions } from '../../core/job/options.ts'
import { sequenceOfJob } from '../../core/job/sequence.ts'
import { storable } from '../../core/payload.ts'
import type { Instant } from '../../core/schedule/schedule.ts'
import type { JobChange, TagCount } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'
import {
  type CheckInAddress,
  type CheckInAnswer,
  type CheckInOptions,
  checkIn,
  rotateCheckIn,
} from '../check-in/check-ins.ts'
import { pageLimit, refuseUnknown } from '../config/call-options.ts'
import { type HandlerOptions, handlerSpec } from '../handler/handler-options.ts'
import { type ExecutionView, executionView, type JobView } from '../views.ts'
import { type BackfillOptions, type BackfillView, backfillJob } from './actions/backfill-job.ts'
import { type BulkAction, type BulkOptions, type BulkResult, bulkJobs } from './actions/bulk-jobs.ts'
import { changeOf, type PauseOptions, type ResumeOptions, tellChange } from './actions/job-changes.ts'
import { failedExecution, sayingWhatIsLegal } from './actions/legal-action.ts'
import { refuseName } from './define-job.ts'
import { type ExplainedTickView, type ExplanationView, explain, newestTicks } from './explain.ts'
import { jobSpec, refusePastInstant } from './job-options.ts'
import { jobUsage, type RunUsageView, type UsageOptions } from './job-usage.ts'
import { findJob, oneJobView, type RevisionView, revisionView } from './job-views.ts'
import { type ConvertReport, convertJobs } from './legacy/convert-jobs.ts'
import { type JobList, type JobsFilter, type ListJobs, listJobs } from './list-jobs.ts'
import { type Why, whyJob } from './why.ts'

export interface CreateJob extends JobOptions {
  readonly name: string
  /** The name of a function that some node registers, or what to call or to run. @default the job's own name */
  readonly handler?: string | HandlerOptions
  /** Given to the handler when a tick makes the execution. */
  readonly input?: unknown
  /** Also run it once now. @default false */
  readonly runNow?: boolean
  /** Begin paused. @default false */
  readonly paused?: boolean
}

export type UpdateJob = JobOptions & { readonly handler?: string | HandlerOptions; readonly input?: unknown }

const statsRuns = 10_000

export class Jobs {
  readonly #app: AppContext

  constructor(app: AppContext) {
    this.#app = app
  }

  async list(query: ListJobs = {}): Promise<JobList> {
    return await listJobs(this.#app, query)
  }

  /** How many jobs have each tag; the most frequent first. */
  async tags({ limit = 200 }: { limit?: number } = {}): Promise<TagCount[]> {
    return await this.#app.store.jobs.countTags(pageLimit(limit, 200))
  }

  async get(job: string): Promise<JobView> {
    return await oneJobView(this.#app, await findJob(this.#app, job))
  }

  async create(job: CreateJob, by: ActorOptions = {}): Promise<JobView> {
    const { name, handler, input, runNow = false, paused = false, ...options } = job
    refuseName(name)
    const context = changeContext(this.#app, by)
    const { now } = context
    const spec = jobSpec(options, {
      name,
      handler: handlerSpec(handler ?? name, { ...this.#app, job: name, before: null }),
      input,
      maxPayloadBytes: this.#app.maxPayloadBytes,
      timezone: this.#app.timezone,
      createdAt: now,
    })
    refusePastInstant(spec, name, now)
    const id = this.#app.newId(now)
    const created = await this.#app.store.jobs.createJob({
      id,
      name,
      spec,
      managedBy: 'api',
      managedHash: null,
      paused,
      context,
    })
    this.#app.jobChanged()
    this.#app.events.emit('job:created', { job: name })
    if (runNow) await this.trigger(name, by)
    return await oneJobView(this.#app, created)
  }

  /**
   * Changes what is given and keeps the rest. A job that code or a file manages keeps this as an override. With `revision`,
   * only if the job is still at that one.
   */
  async update(
    job: string,
    changes: UpdateJob,
    { revision, ...by }: ActorOptions & { revision?: number } = {},
  ): Promise<JobView> {
    const { handler, input, ...options } = changes
    const spec = ({ name, spec: before, createdAt, revision: current }: Job) => {
      if (revision !== undefined && revision !== current) throw changedMeanwhile(name, current)
      refuseWebhook(before)
      const context = {
        name,
        handler:
          handler === undefined
            ? before.handler
            : handlerSpec(handler, { ...this.#app, job: name, before: before.handler }),
        input: input === undefined ? before.input : input,
        maxPayloadBytes: this.#app.maxPayloadBytes,
        inputSchema: before.inputSchema,
        timezone: this.#app.timezone,
        createdAt,
      }
      return jobSpec(options, context, before)
    }
    return await this.#change(job, { kind: 'edit', spec }, by)
  }

  async delete(job: string, by: ActorOptions = {}): Promise<void> {
    await this.#change(job, { kind: 'delete' }, by)
  }

  async pause(job: string, options: ActorOptions & PauseOptions = {}): Promise<JobView> {
    refuseUnknown(options, ['reason', 'until', 'actor', 'origin'], 'jobs.pause')
    return await this.#change(job, changeOf('pause', options, this.#app.clock.now()), options)
  }

  async resume(job: string, options: ActorOptions & ResumeOptions = {}): Promise<JobView> {
    refuseUnknown(options, ['catchUp', 'actor', 'origin'], 'jobs.resume')
    return await this.#change(job, changeOf('resume', options, this.#app.clock.now()), options)
  }

  async cancel(job: string, by: ActorOptions = {}): Promise<JobView> {
    return await this.#change(job, { kind: 'cancel' }, by)
  }

  /** Resets a cursor that a wrong clock moved into the future. */
  async resetCursor(job: string, by: ActorOptions = {}): Promise<JobView> {
    return await this.#change(job, { kind: 'reset_cursor' }, by)
  }

  /** Retries the job's last execution, if it failed. For any other, see `executions.retry`. */
  async retry(job: string, by: ActorOptions = {}): Promise<ExecutionView> {
    const { store, newId } = this.#app
    const failed = await failedExecution(this.#app, await findJob(this.#app, job))
    const context = changeContext(this.#app, by)
    const made = await store.executions.retryExecution(
      failed.id,
      { id: newId(context.now), fromStep: null },
      context,
    )
    this.#app.enqueued()
    return executionView(made)
  }

  /** Runs the job now, in addition to its ticks. `force` runs it even beside a running execution. */
  async trigger(
    job: string,
    options: ActorOptions & { input?: unknown; force?: boolean; metadata?: Record<string, unknown> } = {},
  ): Promise<ExecutionView> {
    refuseUnknown(options, ['input', 'force', 'metadata', 'actor', 'origin'], 'jobs.trigger')
    const { input, force = false, metadata = {}, ...by } = options
    const context = changeContext(this.#app, by)
    const { newId, maxPayloadBytes } = this.#app
    const trigger = {
      id: newId(context.now),
      force,
      metadata: {
        ...storable(metadata, 'metadata', maxPayloadBytes),
        ...(by.actor === undefined ? {} : enqueuedByMetadata(by.actor)),
      },
      input: storable(input, 'input', maxPayloadBytes),
    }
    const made = await sayingWhatIsLegal(this.#app, job, () =>
      this.#app.store.executions.triggerJob(job, trigger, context),
    )
    this.#app.jobChanged()
    this.#app.enqueued()
    return executionView(made)
  }

  /** A new address for the check-ins of a job that runs elsewhere; the one before stops working. */
  async rotateCheckIn(job: string, by: ActorOptions = {}): Promise<CheckInAddress> {
    return await rotateCheckIn(this.#app, await findJob(this.#app, job), by)
  }

  /** What runs elsewhere says that the work of a tick is done, has failed or begins; as `/ping/…` does. */
  async checkIn(token: string, options: CheckInOptions = {}): Promise<CheckInAnswer> {
    refuseUnknown(options, ['word', 'note'], 'jobs.checkIn')
    return await checkIn(this.#app, token, options)
  }

  /** Makes an execution for every nominal tick of `[from, to)`, whatever became of those ticks. */
  async backfill(job: string, options: BackfillOptions): Promise<BackfillView> {
    return await backfillJob(this.#app, job, options)
  }

  /** What became of every tick in `[from, to)`, and why. */
  async explain(
    job: string,
    options: { from: Instant; to: Instant; limit?: number },
  ): Promise<ExplanationView> {
    return await explain(this.#app, job, options)
  }

  /** The newest ticks that are due, newest last, with their accounts. */
  async ticks(job: string, { limit = 20 }: { limit?: number } = {}): Promise<readonly ExplainedTickView[]> {
    return await newestTicks(this.#app, await findJob(this.#app, job), limit)
  }

  /** Why it does not run, or how it is doing, with the next step. */
  async why(job: string): Promise<Why> {
    return await whyJob(this.#app, await findJob(this.#app, job))
  }

  /** The next instants at which the job is due. */
  async upcoming(job: string, { count = 10 }: { count?: number } = {}): Promise<Date[]> {
    const row = await findJob(this.#app, job)
    if (row.state !== 'active') return []
    const sequence = sequenceOfJob(row)
    const upcoming: Date[] = []
    // A tick that is accounted for ahead of time is still to come.
    let tick = sequence.next(this.#app.clock.now())
    while (tick !== null && upcoming.length < count) {
      upcoming.push(new Date(tick))
      tick = sequence.next(tick)
    }
    return upcoming
  }

  async revisions(job: string): Promise<RevisionView[]> {
    const { id } = await findJob(this.#app, job)
    return (await this.#app.store.jobs.listRevisions(id)).map(revisionView)
  }

  async stats(job: string): Promise<Statistics & { lastExecution: ExecutionView | null }> {
    const row = await findJob(this.#app, job)
    const { runs, folded } = await this.#app.store.executions.jobRuns(row.id, statsRuns)
    const [last] = await this.#app.store.executions.lastExecutions([row.id], this.#app.clock.now())
    return {
      ...statisticsOf(runs, folded),
      lastExecution: last === undefined ? null : executionView(last.execution),
    }
  }

  /** What its newest runs used, of those that somebody could watch: commands and isolated handlers. Newest first. */
  async usage(job: string, options: UsageOptions = {}): Promise<RunUsageView[]> {
    return await jobUsage(this.#app, await findJob(this.#app, job), options)
  }

  /**
   * Turns crons that are true intervals into intervals, and says why the others are none; `back` gives the jobs that
   * keep a cron their cron again.
   */
  async convert(options: ActorOptions & { dryRun?: boolean; back?: boolean } = {}): Promise<ConvertReport> {
    refuseUnknown(options, ['dryRun', 'back', 'actor', 'origin'], 'jobs.convert')
    const { dryRun = false, back = false, ...by } = options
    const { store, clock } = this.#app
    const jobs = await store.jobs.listJobs({ limit: 1_000_000 })
    return await convertJobs(jobs, { back, now: clock.now() }, async (job, changes) => {
      if (!dryRun) await this.update(job.id, changes, by)
    })
  }

  /** Applies one action to all matching jobs; `dryRun` only counts them. */
  async bulk(action: BulkAction, filter: JobsFilter, options: BulkOptions = {}): Promise<BulkResult> {
    return await bulkJobs(this.#app, this, action, filter, options)
  }

  async #change(job: string, change: JobChange, by: ActorOptions): Promise<JobView> {
    const changed = await sayingWhatIsLegal(this.#app, job, () =>
      this.#app.store.jobs.changeJob(job, change, changeContext(this.#app, by)),
    )
    this.#app.jobChanged()
    tellChange(this.#app, change.kind, changed.name, changed.pause)
    return await oneJobView(this.#app, changed)
  }
}

function refuseWebhook({ handler }: JobSpec): void {
  if (handler.type !== 'webhook') return
  throw new EvertickError('invalid_definition', 'This is a webhook: it is changed as such.', {
    field: 'handler',
    next: 'Use `evertick webhooks update`.',
  })
}

function changedMeanwhile(name: string, revision: number): EvertickError {
  return new EvertickError(
    'changed_meanwhile',
    `Job "${name}" has changed meanwhile: it is at revision ${revision}.`,
    {
      next: 'Read it again, and repeat the edit.',
    },
  )
}
