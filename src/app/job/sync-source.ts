/**
 * Jobs whose definitions somebody else keeps. Each is written only where it differs from what this source wrote last;
 * one that the source no longer names is paused, never deleted, and only where the answer can be trusted that far.
 * Operators win: what they paused stays paused, and what they resumed is left alone until the source changes it.
 */
import { createHash } from 'node:crypto'
import { EvertickError } from '../../core/error.ts'
import type { Job, JobSpec } from '../../core/job/job.ts'
import type { JobOptions } from '../../core/job/options.ts'
import { planSync, type SyncPlan } from '../../sources/api/plan-sync.ts'
import type { InvalidEntry } from '../../sources/api/schedule-entry.ts'
import type { JobChange } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { changeContext } from '../change-context.ts'
import { Locks } from '../locks/locks.ts'
import { refuseName } from './define-job.ts'
import { jobSpec } from './job-options.ts'

/** A job as a source gives it. */
export interface SourcedJob {
  /** Its place in the answer, from 0. */
  readonly index: number
  readonly name: string
  readonly handler: string
  readonly input: unknown
  readonly enabled: boolean
  readonly options: JobOptions
}

export interface SyncRequest {
  readonly source: string
  readonly jobs: readonly SourcedJob[]
  /** What was passed over already. */
  readonly invalid: readonly InvalidEntry[]
  /** Why the answer may not hold everything, or null. */
  readonly doubt: string | null
  readonly maxRemovals?: number | undefined
  readonly dryRun: boolean
}

export interface SyncResult extends SyncPlan {
  readonly invalid: readonly InvalidEntry[]
}

interface Draft extends SourcedJob {
  readonly hash: string
  readonly spec: (createdAt: number) => JobSpec
}

/** Long enough for an answer of many thousands; a node that dies meanwhile holds up the next sync no longer. */
const lockTtl = '5m'
/** Stands for the hash of a job that its source no longer names. */
const removedMark = 'removed'
export const disabledReason = 'disabled'

export async function syncSource(app: AppContext, request: SyncRequest): Promise<SyncResult> {
  const lock = await new Locks(app).acquire(`source:${request.source}`, { ttl: lockTtl })
  if (lock === null) {
    throw new EvertickError('lock_held', `Another node is syncing the source "${request.source}".`, {
      next: 'Wait for it to end, and try again.',
    })
  }
  try {
    return await sync(app, request)
  } finally {
    await lock.release()
  }
}

async function sync(app: AppContext, request: SyncRequest): Promise<SyncResult> {
  const manager = `source:${request.source}`
  const jobs = new Map((await app.store.jobs.listJobs({ limit: 1_000_000 })).map((job) => [job.name, job]))
  const { drafts, invalid } = draftsOf(app, request, jobs, manager)
  const known = [...jobs.values()].filter(({ managedBy }) => managedBy === manager)
  const plan = planSync({
    known: known.map(({ name, managedHash }) => ({
      name,
      hash: managedHash,
      removed: managedHash === removedMark,
    })),
    listed: new Map([...drafts].map(([name, { hash }]) => [name, hash])),
    unreadable: new Set(invalid.flatMap(({ scheduleId }) => (scheduleId === null ? [] : [scheduleId]))),
    doubt: request.doubt ?? doubtOf(invalid),
    maxRemovals: request.maxRemovals,
  })
  if (request.dryRun) return { ...plan, invalid }
  const written = new Writer(app, manager)
  const failed: InvalidEntry[] = []
  const each = async (names: readonly string[], write: (name: string) => Promise<void>) => {
    const done: string[] = []
    for (const name of names) {
      const why = await refusalOf(() => write(name))
      if (why === null) done.push(name)
      else failed.push({ index: drafts.get(name)?.index ?? -1, scheduleId: name, why })
    }
    return done
  }
  const added = await each(plan.added, (name) => written.create(entryOf(drafts, name)))
  const modified = await each(plan.modified, (name) =>
    written.modify(entryOf(jobs, name), entryOf(drafts, name)),
  )
  const removed = await each(plan.removed, (name) => written.remove(entryOf(jobs, name)))
  if (added.length + modified.length + removed.length > 0) app.jobChanged()
  return { ...plan, added, modified, removed, invalid: [...invalid, ...failed] }
}

/** Only an entry without a name leaves it open which schedule is missing. */
function doubtOf(invalid: readonly InvalidEntry[]): string | null {
  const nameless = invalid.filter(({ scheduleId }) => scheduleId === null).length
  return nameless === 0 ? null : `${nameless} of its entries cannot be read`
}

function draftsOf(
  app: AppContext,
  { jobs: given, invalid: known }: SyncRequest,
  existing: ReadonlyMap<string, Job>,
  manager: string,
): { drafts: Map<string, Draft>; invalid: InvalidEntry[] } {
  const drafts = new Map<string, Draft>()
  const invalid = [...known]
  for (const job of given) {
    const owner = existing.get(job.name)?.managedBy ?? manager
    try {
      if (owner !== manager)
        throw new EvertickError('managed_elsewhere', `${owner} already has a job of this name.`)
      drafts.set(job.name, draftOf(app, job))
    } catch (error) {
      if (!(error instanceof EvertickError)) throw error
      invalid.push({ index: job.index, scheduleId: job.name, why: error.message })
    }
  }
  return { drafts, invalid }
}

function draftOf(app: AppContext, job: SourcedJob): Draft {
  const { name, handler, input, options } = job
  refuseName(name)
  const { timezone, maxPayloadBytes } = app
  const spec = (createdAt: number) =>
    jobSpec(options, { name, handler, input, maxPayloadBytes, timezone, createdAt })
  // Of the definition as written: the anchor of an interval that names none is not part of it.
  const text = JSON.stringify([spec(0), job.enabled])
  return { ...job, spec, hash: createHash('sha256').update(text).digest('hex') }
}

/** What the database refuses of one job is that job's trouble; a database that is away is everybody's. */
async function refusalOf(write: () => Promise<void>): Promise<string | null> {
  try {
    await write()
    return null
  } catch (error) {
    if (!(error instanceof EvertickError) || error.kind === 'unavailable') throw error
    return error.message
  }
}

function entryOf<T>(map: ReadonlyMap<string, T>, name: string): T {
  const value = map.get(name)
  if (value === undefined) throw new Error(`the plan names ${name}, which was not there`)
  return value
}

/** The hash goes last: whatever is cut off before it is done again by the next sync. */
class Writer {
  readonly #app: AppContext
  readonly #manager: string

  constructor(app: AppContext, manager: string) {
    this.#app = app
    this.#manager = manager
  }

  async create({ name, spec, hash, enabled }: Draft): Promise<void> {
    const { store, clock, newId, events } = this.#app
    const now = clock.now()
    await store.jobs.createJob({
      id: newId(now),
      name,
      spec: spec(now),
      managedBy: this.#manager,
      managedHash: enabled ? hash : null,
      paused: !enabled,
      context: changeContext(this.#app, { actor: this.#manager }),
    })
    events.emit('job:created', { job: name })
    if (enabled) return
    await this.#change(name, { kind: 'pause', reason: disabledReason })
    await this.#change(name, { kind: 'edit', spec: spec(now), managedHash: hash })
  }

  async modify(job: Job, { spec, hash, enabled }: Draft): Promise<void> {
    const oursToResume = job.state === 'paused' && job.pause?.by === this.#manager
    if (enabled && oursToResume) await this.#change(job.id, { kind: 'resume', catchUp: 'skip' })
    if (!enabled && job.state !== 'paused') {
      await this.#change(job.id, { kind: 'pause', reason: disabledReason })
    }
    await this.#change(job.id, { kind: 'edit', spec: spec(job.createdAt), managedHash: hash })
    this.#app.events.emit('job:updated', { job: job.name })
  }

  async remove(job: Job): Promise<void> {
    if (job.state === 'active' || job.state === 'disabled' || job.state === 'error') {
      const reason = `${this.#manager} no longer lists it`
      await this.#change(job.id, { kind: 'pause', reason })
      this.#app.events.emit('job:paused', { job: job.name, reason })
    }
    await this.#change(job.id, { kind: 'edit', spec: job.spec, managedHash: removedMark })
  }

  async #change(job: string, change: JobChange): Promise<void> {
    await this.#app.store.jobs.changeJob(job, change, changeContext(this.#app, { actor: this.#manager }))
  }
}
