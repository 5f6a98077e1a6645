/** The schedules: created, read, changed and removed here, run by whichever nodes there are. */

import type { AppContext } from '../../app/app-context.ts'
import { contextOf } from '../../app/app-context.ts'
import { changeContext } from '../../app/change-context.ts'
import { refuseUnknown } from '../../app/config/call-options.ts'
import { disabledReason, type SyncResult, syncSource } from '../../app/source/sync-source.ts'
import { EvertickError } from '../../core/error.ts'
import type { Job } from '../../core/job/job.ts'
import { jobTransitions } from '../../core/job/job-state.ts'
import type { Evertick } from '../../evertick.ts'
import { readEntries } from '../../sources/api/schedule-entry.ts'
import type { JobChange } from '../../store/store.ts'
import type { OwnNode } from '../own-node.ts'
import { type ApiSource, answerOf, type SyncOptions, sourcedJob, syncOptionNames } from './api-source.ts'
import { type ConnectOptions, isConnect, nodeOf } from './connect.ts'
import { beginRun, claimOf, endRun, type RunEnd, runEndNames } from './hand-run.ts'
import { statusOf } from './history-entry.ts'
import { noSchedule } from './job-history.ts'
import {
  type CreateSchedule,
  changedSpec,
  configTag,
  domainTag,
  inputOf,
  isSchedule,
  newOptions,
  recordOf,
  type ScheduleRecord,
  scheduleFieldNames,
  scheduleHandler,
  tagsOfAll,
  type UpdateSchedule,
} from './schedule-record.ts'

const actor = 'schedule-repository'
/** What a source is called that was given no name. */
const defaultSource = 'api'

export class ScheduleRepository {
  readonly #node: OwnNode
  readonly #own: boolean

  /** Connects at its first use. */
  constructor(given: Evertick | ConnectOptions | OwnNode) {
    this.#node = nodeOf(given, 'ScheduleRepository')
    this.#own = isConnect(given)
  }

  /** @internal For those that watch it. */
  static nodeOf(repository: ScheduleRepository): OwnNode {
    return repository.#node
  }

  async create(schedule: CreateSchedule): Promise<ScheduleRecord> {
    refuseUnknown(schedule, ['scheduleId', ...scheduleFieldNames], 'create')
    const { scheduleId, enabled = true, ...fields } = schedule
    const evertick = await this.#node.opened()
    const { clock, newId } = contextOf(evertick)
    const { options, input } = newOptions(fields)
    const name = scheduleId ?? `${nameFrom(input.domain)}:${newId(clock.now()).slice(-12)}`
    const job = { ...options, name, handler: scheduleHandler, input, paused: !enabled }
    await evertick.jobs.create(job, { actor })
    if (!enabled) await evertick.jobs.pause(name, { reason: disabledReason, actor })
    return await this.#existing(name)
  }

  /** By its id, or the engine's id of its job; null where there is none. */
  async get(scheduleId: string): Promise<ScheduleRecord | null> {
    const app = await this.#app()
    const job = await findSchedule(app, scheduleId)
    return job === null ? null : ((await records(app, [job]))[0] ?? null)
  }

  /** Changes what is given and keeps the rest; every node applies it at once. */
  async update(scheduleId: string, changes: UpdateSchedule): Promise<ScheduleRecord> {
    refuseUnknown(changes, scheduleFieldNames, 'update')
    const { enabled, ...fields } = changes
    const app = await this.#app()
    const job = await foundSchedule(app, scheduleId)
    if (Object.keys(fields).length > 0) {
      await change(app, job, { kind: 'edit', spec: (held) => changedSpec(held, fields, app) })
      app.events.emit('job:updated', { job: job.name })
    }
    if (enabled === true && jobTransitions[job.state].resume !== null)
      await change(app, job, { kind: 'resume', catchUp: 'skip' })
    if (enabled === false && job.state !== 'paused') {
      await change(app, job, { kind: 'pause', reason: disabledReason })
    }
    return await this.#existing(job.name)
  }

  /** False where there is none. What it has run stays in the history until retention takes it. */
  async delete(scheduleId: string): Promise<boolean> {
    const app = await this.#app()
    const job = await findSchedule(app, scheduleId)
    if (job === null) return false
    await change(app, job, { kind: 'delete' })
    app.events.emit('job:deleted', { job: job.name })
    return true
  }

  async findByDomain(domain: string): Promise<ScheduleRecord[]> {
    return await this.#list(domainTag(domain), (job) => inputOf(job.spec).domain === domain)
  }

  async findByDomainConfigId(id: string): Promise<ScheduleRecord[]> {
    return await this.#list(configTag(id), (job) => inputOf(job.spec).domainConfigId === id)
  }

  /** All of them, by their ids. */
  async list(query: { readonly enabled?: boolean } = {}): Promise<ScheduleRecord[]> {
    refuseUnknown(query, ['enabled'], 'list')
    const { enabled } = query
    return await this.#list(
      tagsOfAll[0] ?? '',
      ({ state }) => enabled === undefined || (state === 'active') === enabled,
    )
  }

  /**
   * Brings the schedules of one source to what it answers. A bad entry is passed over and reported; schedules that are
   * missing are disabled, never deleted, and only where the answer is not suspiciously short.
   */
  async syncFromApi(api: ApiSource, options: SyncOptions = {}): Promise<SyncResult> {
    refuseUnknown(options, syncOptionNames, 'syncFromApi')
    const { source = defaultSource, maxRemovals, dryRun = false } = options
    const app = await this.#app()
    const { entries, doubt } = await answerOf(api, options)
    const read = readEntries(entries)
    const invalid = [...read.invalid]
    const jobs = read.entries.flatMap((entry) => {
      try {
        return [sourcedJob(entry)]
      } catch (error) {
        if (!(error instanceof EvertickError)) throw error
        invalid.push({ index: entry.index, scheduleId: entry.scheduleId, why: error.message })
        return []
      }
    })
    return await syncSource(app, { source, jobs, invalid, doubt, maxRemovals, dryRun })
  }

  /**
   * Says how the schedule's newest run ended: completes one that was started by hand, or records a run that nobody
   * started here. A run that is recorded with this status already stays the only one.
   */
  async updateRunStatus(scheduleId: string, end: RunEnd): Promise<ScheduleRecord> {
    refuseUnknown(end, runEndNames, 'updateRunStatus')
    const app = await this.#app()
    const job = await foundSchedule(app, scheduleId)
    const [newest] = await app.store.compat.listRuns({ tags: tagsOfAll, job: job.id, limit: 1 })
    const status = newest === undefined ? null : statusOf(newest.execution)
    if (newest !== undefined && status === 'started') await endRun(app, claimOf(newest.execution), end)
    else if (status !== end.status) {
      const { domain } = inputOf(job.spec)
      await endRun(app, await beginRun(app, job.id, { domain, jobId: null }, {}), end)
    }
    return await this.#existing(job.name)
  }

  /** Whether the database answers. */
  async healthCheck(): Promise<boolean> {
    try {
      await (await this.#node.opened()).ping()
      return true
    } catch {
      return false
    }
  }

  async close(): Promise<void> {
    if (this.#own) await this.#node.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #app(): Promise<AppContext> {
    return await this.#node.context()
  }

  async #existing(scheduleId: string): Promise<ScheduleRecord> {
    const schedule = await this.get(scheduleId)
    if (schedule === null) throw noSchedule(scheduleId)
    return schedule
  }

  async #list(tag: string, fits: (job: Job) => boolean): Promise<ScheduleRecord[]> {
    const app = await this.#app()
    const jobs = await app.store.jobs.listJobs({ tag, limit: 1_000_000 })
    return await records(
      app,
      jobs.filter((job) => isSchedule(job) && fits(job)),
    )
  }
}

async function change(app: AppContext, job: Job, what: JobChange): Promise<void> {
  await app.store.jobs.changeJob(job.id, what, changeContext(app, { actor }))
  app.jobChanged()
}

async function findSchedule(app: AppContext, scheduleId: string): Promise<Job | null> {
  const job = await app.store.jobs.findJob(scheduleId)
  return job !== null && isSchedule(job) ? job : null
}

async function foundSchedule(app: AppContext, scheduleId: string): Promise<Job> {
  const job = await findSchedule(app, scheduleId)
  if (job === null) throw noSchedule(scheduleId)
  return job
}

export async function records(app: AppContext, jobs: readonly Job[]): Promise<ScheduleRecord[]> {
  const now = app.clock.now()
  const ids = jobs.map(({ id }) => id)
  const newest = (await app.store.executions.lastExecutions(ids, now)).map(({ execution }) => execution)
  const last = new Map(newest.map((execution) => [execution.jobId, execution]))
  for (const { id, jobId, startedAt, finishedAt } of newest) {
    if (startedAt !== null || finishedAt !== null) continue
    // It waits for its time: the last run is the one before.
    const [run] = await app.store.compat.listRuns({ tags: tagsOfAll, job: jobId, limit: 1 })
    if (run !== undefined && run.execution.id !== id) last.set(jobId, run.execution)
    else last.delete(jobId)
  }
  return jobs.map((job) => recordOf(job, last.get(job.id) ?? null, now))
}

/** Whatever the domain is, a job's name has only so many kinds of characters. */
function nameFrom(domain: string): string {
  const plain = domain.replaceAll(/[^\p{L}\p{N}_.-]+/gu, '-').replace(/^[^\p{L}\p{N}_]+/u, '')
  return plain.slice(0, 150) || 'schedule'
}
