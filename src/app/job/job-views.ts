/** Jobs as they are shown, with what is told of them beside their own rows: a handful of statements, however many jobs. */
import { EvertickError } from '../../core/error.ts'
import { healthOf } from '../../core/job/health.ts'
import type { Job, JobSpec } from '../../core/job/job.ts'
import type { JobOptions } from '../../core/job/options.ts'
import type { Revision } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { type HandlerView, handlerView } from '../handler/handler-view.ts'
import { type JobView, jobView, optionsOfSpec } from '../views.ts'

export interface RevisionView {
  readonly revision: number
  readonly from: Date
  readonly options: JobOptions
  readonly handler: HandlerView
  readonly changedBy: string
  readonly changedAt: Date
  readonly tzVersion: string
}

/** By id or name. */
export async function findJob({ store }: Pick<AppContext, 'store'>, reference: string): Promise<Job> {
  const job = await store.jobs.findJob(reference)
  if (job !== null) return job
  throw new EvertickError('job_not_found', `There is no job "${reference}".`, {
    next: 'List the jobs with `evertick jobs list`.',
  })
}

export async function oneJobView(app: Pick<AppContext, 'store' | 'clock'>, job: Job): Promise<JobView> {
  const [view] = await jobViews(app, [job])
  if (view === undefined) throw new Error('One job has one view.')
  return view
}

export async function jobViews(
  { store, clock }: Pick<AppContext, 'store' | 'clock'>,
  jobs: readonly Job[],
): Promise<JobView[]> {
  const now = clock.now()
  const ids = jobs.map(({ id }) => id)
  const last = new Map(
    (await store.executions.lastExecutions(ids, now)).map((one) => [one.execution.jobId, one]),
  )
  // A job at its first revision has no overrides.
  const edited = jobs.filter(({ managedHash, revision }) => managedHash !== null && revision > 1)
  const managed = await store.jobs.managedSpecs(edited.map(({ id }) => id))
  const written = new Map(managed.map(({ jobId, spec }) => [jobId, spec]))
  const healths = await store.jobs.readHealth(ids, now)
  return healths.flatMap((health, index) => {
    const job = jobs[index]
    if (job === undefined) return []
    const spec = written.get(job.id)
    const overrides = spec === undefined ? [] : overridesOf(job.spec, spec)
    const view = jobView(job, last.get(job.id) ?? null, now, overrides)
    return [{ ...view, health: healthOf(job, health, now) }]
  })
}

/** The options, by name, in which a job is no longer what its manager wrote. */
function overridesOf(spec: JobSpec, managed: JobSpec): string[] {
  const [now, then] = [fieldsOf(spec), fieldsOf(managed)]
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])]
  return names.filter((name) => JSON.stringify(now[name]) !== JSON.stringify(then[name]))
}

function fieldsOf(spec: JobSpec): Readonly<Record<string, unknown>> {
  return { ...optionsOfSpec(spec), handler: spec.handler, input: spec.input }
}

export function revisionView({ spec, from, changedAt, ...kept }: Revision): RevisionView {
  const { revision, changedBy, tzVersion } = kept
  return {
    revision,
    from: new Date(from),
    options: optionsOfSpec(spec),
    handler: handlerView(spec.handler),
    changedBy,
    changedAt: new Date(changedAt),
    tzVersion,
  }
}
