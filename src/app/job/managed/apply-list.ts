/**
 * `apply`: brings the jobs of one file to what it says. All of it is checked before anything is written. A job is written
 * only where the file differs from what it said last, so that an operator's edit holds until the file changes.
 */
import { EvertickError } from '../../../core/error.ts'
import type { Job } from '../../../core/job/job.ts'
import type { AppContext } from '../../app-context.ts'
import type { ActorOptions } from '../../change-context.ts'
import { ManagedWriter, writeEach } from './managed-writer.ts'
import { asManager } from './manager-lock.ts'
import { type ListChange, type ListPlan, planList, type RefusedEntry } from './plan-list.ts'
import type { WantedJob } from './wanted-job.ts'

export interface ApplyRequest {
  /** Who owns the jobs, as `file:<name>`. Without one nobody does: what is new is created, all else is left alone. */
  readonly name?: string
  /** Each as `jobs.create` takes it, without `runNow`. */
  readonly jobs: readonly unknown[]
  /** Delete the jobs of this name that are not among these. @default false */
  readonly prune?: boolean
  /** Take over jobs of these names that were made by hand, or belong to another file. @default false */
  readonly adopt?: boolean
  /** Only say what would be done. @default false */
  readonly dryRun?: boolean
}

export interface ApplyResult {
  readonly manager: string
  readonly dryRun: boolean
  readonly created: readonly string[]
  readonly updated: readonly string[]
  readonly deleted: readonly string[]
  readonly unchanged: readonly string[]
  /** The file has not changed, but an operator has changed the job: left alone. */
  readonly overridden: readonly string[]
  /** Of this manager, and not among these: left alone without `prune`. */
  readonly missing: readonly string[]
  /** Without a name: they were there, and differ. */
  readonly kept: readonly string[]
  readonly changes: readonly ListChange[]
  /** Why nothing is written. */
  readonly refused: readonly RefusedEntry[]
  /** What the database refused while the others were written. */
  readonly failed: readonly { readonly job: string; readonly why: string }[]
}

export async function applyList(
  app: AppContext,
  request: ApplyRequest,
  by: ActorOptions = {},
): Promise<ApplyResult> {
  const manager = managerOf(request)
  // What is planned, not what is asked: without a manager there is nothing that two could plan at once.
  if (request.dryRun === true || manager === 'api')
    return await apply(app, manager, request, by, async () => {})
  return await asManager(app, manager, (keep) => apply(app, manager, request, by, keep))
}

async function apply(
  app: AppContext,
  manager: string,
  request: ApplyRequest,
  by: ActorOptions,
  keep: () => Promise<void>,
): Promise<ApplyResult> {
  const { jobs, prune = false, adopt = false, dryRun = false } = request
  const existing = await app.store.jobs.listJobs({ limit: 1_000_000 })
  const plan = await planList(app, { manager, jobs, existing, prune, adopt })
  if (dryRun) return resultOf(manager, plan, { dryRun, failed: [] })
  if (plan.refused.length > 0) throw refusal(plan.refused, jobs.length)
  const writer = new ManagedWriter(app, {
    name: manager,
    pausedBecause: 'the file has it paused',
    by: manager === 'api' ? by : { actor: manager, origin: appliedBy(app, by) },
  })
  const refused = await writeEach(plan.changes, keep, (change) => write(writer, change, plan))
  const failed = [...refused].map(([{ job }, why]) => ({ job, why }))
  if (plan.changes.length > 0) app.jobChanged()
  return resultOf(manager, plan, { dryRun, failed })
}

async function write(writer: ManagedWriter, { job, becomes }: ListChange, plan: ListPlan): Promise<void> {
  switch (becomes) {
    case 'created':
      return await writer.create(wantedOf(plan, job))
    case 'updated':
      return await writer.modify(standingOf(plan, job), wantedOf(plan, job))
    case 'deleted':
      return await writer.delete(standingOf(plan, job))
    case 'overridden':
    case 'kept':
      return
  }
}

function wantedOf({ wanted }: ListPlan, name: string): WantedJob {
  const job = wanted.get(name)
  if (job === undefined) throw new Error(`the plan creates or changes ${name}, which the list does not have`)
  return job
}

function standingOf({ standing }: ListPlan, name: string): Job {
  const job = standing.get(name)
  if (job === undefined) throw new Error(`the plan changes ${name}, which is not there`)
  return job
}

function resultOf(
  manager: string,
  plan: ListPlan,
  { dryRun, failed }: Pick<ApplyResult, 'dryRun' | 'failed'>,
): ApplyResult {
  const { changes, unchanged, missing, refused } = plan
  const lost = new Set(failed.map(({ job }) => job))
  const named = (which: ListChange['becomes']) =>
    changes.filter(({ job, becomes }) => becomes === which && !lost.has(job)).map(({ job }) => job)
  return {
    manager,
    dryRun,
    created: named('created'),
    updated: named('updated'),
    deleted: named('deleted'),
    unchanged,
    overridden: named('overridden'),
    missing,
    kept: named('kept'),
    changes,
    refused,
    failed,
  }
}

function managerOf({ name }: ApplyRequest): string {
  if (name === undefined) return 'api'
  if (/^[\p{L}\p{N}_][\p{L}\p{N}_.@/ -]{0,99}$/u.test(name)) return `file:${name}`
  throw new EvertickError(
    'invalid_option',
    `${JSON.stringify(name)} is not a valid name of a file of jobs.`,
    {
      field: 'name',
      next: 'Use letters, digits, and - _ . @ / or spaces, at most 100, beginning with a letter or digit.',
    },
  )
}

/** The manager is the actor, as of everything that it writes; who has applied it, and where, is the origin. */
function appliedBy({ host }: AppContext, { actor = 'api', origin = host }: ActorOptions): string {
  return `${actor} at ${origin}`.slice(0, 255)
}

function refusal(refused: readonly RefusedEntry[], all: number): EvertickError {
  const [first] = refused
  const of = all === 1 ? 'The job' : `${refused.length} of ${all} jobs`
  const message = `${of} cannot be applied, so nothing was written: ${first?.why ?? ''}`
  return new EvertickError(first?.code ?? 'invalid_definition', message, {
    ...(first === undefined ? {} : { field: fieldIn(first) }),
    next: first?.next ?? 'A dry run names each of them.',
  })
}

function fieldIn({ index, field }: RefusedEntry): string {
  return field === null ? `jobs.${index}` : `jobs.${index}.${field}`
}
