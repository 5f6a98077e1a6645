/** Lists of jobs: which, in which order, from where on, and what else is told of each. */
import { EvertickError } from '../../core/error.ts'
import { statisticsOf } from '../../core/history/statistics.ts'
import { isId } from '../../core/id.ts'
import type { JobState } from '../../core/job/job-state.ts'
import type { Account } from '../../core/tick/account.ts'
import type { JobFilter, JobPlace, JobRun, JobSort, JobTerm, JobTick } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { pageLimit, refuseUnknown } from '../config/call-options.ts'
import type { ExecutionView, JobView } from '../views.ts'
import { jobFilter } from './job-filter.ts'
import { jobViews } from './job-views.ts'

export const jobSorts = ['name', 'nextRunAt', 'lastRunAt', 'createdAt', 'status'] as const satisfies JobSort[]
export type JobOrder = JobSort | `-${JobSort}`

export const jobIncludes = ['ticks', 'stats'] as const
export type JobInclude = (typeof jobIncludes)[number]

export interface JobsFilter {
  readonly state?: JobState
  readonly tag?: string
  /** Looked for in the names. */
  readonly search?: string
  /** The search language: `status:failed -tag:slow nightly`. */
  readonly filter?: string
}

export interface ListJobs extends JobsFilter {
  /** A minus before it reverses the order. Jobs without the value come last. @default 'name' */
  readonly sort?: JobOrder
  /** @default 100 */
  readonly limit?: number
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string
  /** Also count all that match. @default false */
  readonly total?: boolean
  readonly include?: readonly JobInclude[]
}

/** A tick, or a run of ticks of which none has an execution of its own, or none any more. */
export interface RecentTick {
  readonly scheduledFor: Date
  readonly account: Account
  readonly reason?: string
  readonly state?: string
  readonly executionId?: string
  readonly durationMs?: number
  readonly latenessMs?: number
  /** True where it had an execution whose details are no longer kept. */
  readonly folded?: true
  /** How many ticks, where it is not one. */
  readonly count?: number
}

/** Without what may be a megabyte each: the input of a job, and what its last execution was given and has returned. */
export interface ListedJob extends Omit<JobView, 'input' | 'lastExecution'> {
  readonly lastExecution: Omit<ExecutionView, 'input' | 'result'> | null
  /** With `include: ['ticks']`: the last 20, oldest first. */
  readonly recentTicks?: readonly RecentTick[]
  /** With `include: ['stats']`: of its last 20 runs. */
  readonly durations?: { readonly p50Ms: number | null; readonly p95Ms: number | null }
}

export interface JobList {
  readonly jobs: ListedJob[]
  readonly nextCursor: string | null
  readonly total?: number
  /** Whether there are more than were counted. */
  readonly totalIsAtLeast?: boolean
}

const countedAtMost = 10_000
const recent = 20

export async function listJobs(app: AppContext, query: ListJobs): Promise<JobList> {
  const known = ['state', 'tag', 'search', 'filter', 'sort', 'limit', 'cursor', 'total', 'include']
  refuseUnknown(query, known, 'jobs.list')
  const { sort: given = 'name', cursor, total = false, include = [] } = query
  const limit = pageLimit(query.limit, 100)
  const filter = filterOf(query, app.clock.now())
  const { sort, descending } = orderOf(given)
  const rows = await app.store.jobs.pageJobs({
    ...filter,
    sort,
    descending,
    limit: limit + 1,
    ...(cursor === undefined ? {} : { after: placeOf(sort, cursor) }),
  })
  const page = rows.slice(0, limit)
  const ids = page.map(({ job }) => job.id)
  const views = await jobViews(
    app,
    page.map(({ job }) => job),
  )
  const extra = await extrasOf(app, ids, include)
  const end = page.at(-1)
  return {
    jobs: views.map((view) => ({ ...withoutPayloads(view), ...extra(view.id) })),
    nextCursor: rows.length > limit && end !== undefined ? cursorOf(sort, end.place) : null,
    ...(total ? await counted(app, filter) : {}),
  }
}

function withoutPayloads({ input: _, lastExecution, ...job }: JobView): ListedJob {
  if (lastExecution === null) return { ...job, lastExecution }
  const { input: __, result: ___, ...last } = lastExecution
  return { ...job, lastExecution: last }
}

/** The members and the text together: all must hold. */
export function filterOf({ state, tag, search, filter = '' }: JobsFilter, now: number): JobFilter {
  const written = jobFilter(filter, now)
  const one = (by: 'state' | 'tag', value: string | undefined): JobTerm[] =>
    value === undefined ? [] : [{ by, values: [value], negated: false }]
  const words = [search, written.search].filter((text) => text !== undefined && text !== '')
  return {
    terms: [...one('state', state), ...one('tag', tag), ...written.terms],
    now,
    ...(words.length === 0 ? {} : { search: words.join(' ') }),
  }
}

async function counted(
  { store }: AppContext,
  filter: JobFilter,
): Promise<{ total: number; totalIsAtLeast: boolean }> {
  const total = await store.jobs.countMatches(filter, countedAtMost + 1)
  return { total: Math.min(total, countedAtMost), totalIsAtLeast: total > countedAtMost }
}

function orderOf(given: JobOrder): { sort: JobSort; descending: boolean } {
  const descending = given.startsWith('-')
  const sort = jobSorts.find((known) => known === (descending ? given.slice(1) : given))
  if (sort !== undefined) return { sort, descending }
  throw new EvertickError('invalid_option', `Jobs cannot be sorted by "${given}".`, {
    field: 'sort',
    next: `Sort by ${jobSorts.join(', ')}; a minus before it reverses the order.`,
  })
}

/** A name and an id stand alone; another value needs the id beside it, since many jobs may share it. */
function cursorOf(sort: JobSort, { value, id }: JobPlace): string {
  if (sort === 'name') return String(value)
  return sort === 'createdAt' ? id : `${value ?? ''}|${id}`
}

function placeOf(sort: JobSort, cursor: string): JobPlace {
  if (sort === 'name') return { value: cursor, id: '' }
  if (sort === 'createdAt' && isId(cursor)) return { value: cursor, id: cursor }
  const [, value, id = ''] = /^([a-z]*|\d{1,15})\|(.+)$/.exec(cursor) ?? []
  const fits = sort === 'status' ? /^[a-z]+$/ : /^\d*$/
  if (sort === 'createdAt' || value === undefined || !isId(id) || !fits.test(value)) {
    throw new EvertickError('invalid_option', 'This cursor does not belong to a list in this order.', {
      field: 'cursor',
      next: 'Pass the `nextCursor` of the previous page with the same `sort`, or leave it out to start over.',
    })
  }
  if (sort === 'status') return { value, id }
  return { value: value === '' ? null : Number(value), id }
}

type Extra = Pick<ListedJob, 'recentTicks' | 'durations'>

/** The number of statements does not depend on the number of jobs. */
async function extrasOf(
  { store }: AppContext,
  jobIds: readonly string[],
  include: readonly JobInclude[],
): Promise<(jobId: string) => Extra> {
  const ticks = include.includes('ticks') ? await store.ticks.recentTicks(jobIds, recent) : null
  const runs = include.includes('stats') ? await store.jobs.recentRuns(jobIds, recent) : null
  const ticksOf = ticks === null ? null : Map.groupBy(ticks, ({ jobId }) => jobId)
  const runsOf = runs === null ? null : Map.groupBy(runs, ({ jobId }) => jobId)
  return (jobId) => ({
    ...(ticksOf === null ? {} : { recentTicks: (ticksOf.get(jobId) ?? []).map(tickView) }),
    ...(runsOf === null ? {} : { durations: durationsOf(runsOf.get(jobId) ?? []) }),
  })
}

function durationsOf(runs: readonly JobRun[]): ListedJob['durations'] & object {
  const { p50Ms, p95Ms } = statisticsOf(runs)
  return { p50Ms, p95Ms }
}

function tickView({
  from,
  count,
  account,
  reason,
  executionId,
  state,
  startedAt,
  finishedAt,
}: JobTick): RecentTick {
  return {
    scheduledFor: new Date(from),
    account,
    ...(reason === null ? {} : { reason }),
    ...(state === null ? {} : { state }),
    ...(executionId === null ? {} : { executionId }),
    ...(startedAt === null ? {} : { latenessMs: Math.max(0, startedAt - from) }),
    ...(startedAt === null || finishedAt === null ? {} : { durationMs: finishedAt - startedAt }),
    ...(state !== null && executionId === null ? { folded: true as const } : {}),
    ...(count === 1 ? {} : { count }),
  }
}
