/**
 * Jobs whose definitions somebody else keeps. Each is written only where it differs from what this source wrote last;
 * one that the source no longer names is paused, never deleted, and only where the answer can be trusted that far.
 * Operators win: what they paused stays paused, and what they resumed is left alone until the source changes it.
 */
import { EvertickError } from '../../core/error.ts'
import type { Job } from '../../core/job/job.ts'
import { planSync, type SyncPlan } from '../../sources/api/plan-sync.ts'
import type { InvalidEntry } from '../../sources/api/schedule-entry.ts'
import type { AppContext } from '../app-context.ts'
import { ManagedWriter, writeEach } from '../job/managed/managed-writer.ts'
import { asManager } from '../job/managed/manager-lock.ts'
import { changeOf, type ListChange } from '../job/managed/plan-list.ts'
import { type WantedJob, wantedJob } from '../job/managed/wanted-job.ts'

/** A job as a source gives it. */
export interface SourcedJob {
  /** Its place in the answer, from 0. */
  readonly index: number
  readonly name: string
  /** As somebody writes it down; checked here. */
  readonly job: unknown
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

interface Draft {
  readonly index: number
  readonly wanted: WantedJob
}

export interface Synced {
  readonly result: SyncResult
  /** Of a dry run: what differs, field by field. */
  readonly changes: readonly ListChange[]
}

/** Stands for the hash of a job that its source no longer names. */
const removedMark = 'removed'
export const disabledReason = 'disabled'

/** So many entries are looked at before everybody else has a turn. */
const perTurn = 50

export async function syncSource(app: AppContext, request: SyncRequest): Promise<SyncResult> {
  return (await syncJobs(app, request)).result
}

export async function syncJobs(app: AppContext, request: SyncRequest): Promise<Synced> {
  return await asManager(app, `source:${request.source}`, (keep) => sync(app, request, keep))
}

async function sync(app: AppContext, request: SyncRequest, keep: () => Promise<void>): Promise<Synced> {
  const manager = `source:${request.source}`
  const jobs = new Map((await app.store.jobs.listJobs({ limit: 1_000_000 })).map((job) => [job.name, job]))
  const { drafts, invalid } = await draftsOf(app, request, jobs, manager)
  const known = [...jobs.values()].filter(({ managedBy }) => managedBy === manager)
  const plan = planSync({
    known: known.map(({ name, managedHash }) => ({
      name,
      hash: managedHash,
      removed: managedHash === removedMark,
    })),
    listed: new Map([...drafts].map(([name, { wanted }]) => [name, wanted.hash ?? ''])),
    unreadable: new Set(invalid.flatMap(({ scheduleId }) => (scheduleId === null ? [] : [scheduleId]))),
    doubt: request.doubt ?? doubtOf(invalid),
    maxRemovals: request.maxRemovals,
  })
  if (request.dryRun) {
    const changes: ListChange[] = []
    for (const [turn, name] of [...plan.added, ...plan.modified].entries()) {
      if (turn % perTurn === perTurn - 1) await app.rest()
      changes.push(...changeOf(app, entryOf(drafts, name).wanted, jobs.get(name), manager))
    }
    return { result: { ...plan, invalid }, changes }
  }
  const writer = new ManagedWriter(app, {
    name: manager,
    pausedBecause: disabledReason,
    by: { actor: manager },
  })
  const failed: InvalidEntry[] = []
  const each = async (names: readonly string[], write: (name: string) => Promise<void>) => {
    const refused = await writeEach(names, keep, write)
    failed.push(
      ...[...refused].map(([name, why]) => ({ index: drafts.get(name)?.index ?? -1, scheduleId: name, why })),
    )
    return names.filter((name) => !refused.has(name))
  }
  const added = await each(plan.added, (name) => writer.create(entryOf(drafts, name).wanted))
  const modified = await each(plan.modified, (name) =>
    writer.modify(entryOf(jobs, name), entryOf(drafts, name).wanted),
  )
  const removed = await each(plan.removed, (name) =>
    writer.retire(entryOf(jobs, name), `${manager} no longer lists it`, removedMark),
  )
  if (added.length + modified.length + removed.length > 0) app.jobChanged()
  return { result: { ...plan, added, modified, removed, invalid: [...invalid, ...failed] }, changes: [] }
}

/** Only an entry without a name leaves it open which schedule is missing. */
function doubtOf(invalid: readonly InvalidEntry[]): string | null {
  const nameless = invalid.filter(({ scheduleId }) => scheduleId === null).length
  return nameless === 0 ? null : `${nameless} of its entries cannot be read`
}

async function draftsOf(
  app: AppContext,
  { jobs: given, invalid: known }: SyncRequest,
  existing: ReadonlyMap<string, Job>,
  manager: string,
): Promise<{ drafts: Map<string, Draft>; invalid: InvalidEntry[] }> {
  const drafts = new Map<string, Draft>()
  const invalid = [...known]
  for (const [turn, { index, name, job }] of given.entries()) {
    if (turn % perTurn === perTurn - 1) await app.rest()
    const before = existing.get(name)
    const owner = before?.managedBy ?? manager
    try {
      if (owner !== manager)
        throw new EvertickError('managed_elsewhere', `${owner} already has a job of this name.`)
      const standing = before ?? { createdAt: app.clock.now(), spec: null }
      drafts.set(name, { index, wanted: wantedJob(app, job, standing, manager) })
    } catch (error) {
      if (!(error instanceof EvertickError)) throw error
      invalid.push({ index, scheduleId: name, why: error.message })
    }
  }
  return { drafts, invalid }
}

function entryOf<T>(map: ReadonlyMap<string, T>, name: string): T {
  const value = map.get(name)
  if (value === undefined) throw new Error(`the plan names ${name}, which was not there`)
  return value
}
