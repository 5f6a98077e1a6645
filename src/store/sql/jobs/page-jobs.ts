/**
 * Jobs in any order, page by page. A page begins right after a place, not at a number of rows: equals are told apart by
 * their ids, and those without a value come last, in a statement of their own, so that an index can carry both parts.
 */
import { idOrNone, noId } from '../../../core/id.ts'
import type { JobStatus } from '../../../core/job/job-status.ts'
import type { JobFilter, JobPageQuery, JobPlace, JobSort, PlacedJob, TagCount } from '../../store.ts'
import { type LastColumn, lastColumns } from '../executions/last-executions.ts'
import { noWebhook, webhookRange } from '../notices/audience.ts'
import { jobFrom, jobStatusOf, number, text } from '../runtime/rows.ts'
import { type Param, pageRows, type Row, row, rows, type Script } from '../runtime/script.ts'
import { type MatchedJobs, matchedJobs, statusText } from './match-jobs.ts'

interface Order {
  readonly key: string
  /** Whether there is a value, where there may be none. */
  readonly valued?: string
  readonly empty?: string
  readonly needs: readonly LastColumn[]
}

const orders: Readonly<Record<JobSort, Order>> = {
  name: { key: 'j.name', needs: [] },
  // Ids begin with the instant of creation.
  createdAt: { key: 'j.id', needs: [] },
  nextRunAt: {
    key: 'j.next_due_at',
    valued: `j.state = 'active' AND j.next_due_at IS NOT NULL`,
    empty: `(j.state <> 'active' OR j.next_due_at IS NULL)`,
    needs: [],
  },
  lastRunAt: {
    key: 'j.last_run_at',
    valued: 'j.last_run_at IS NOT NULL',
    empty: 'j.last_run_at IS NULL',
    needs: ['last_run_at'],
  },
  status: { key: `(${statusText})`, needs: ['last_running', 'newest_state'] },
}

export function* pageJobs(query: JobPageQuery): Script<PlacedJob[]> {
  const places = yield* placesOf(query)
  const ids = places.map(({ id }) => id)
  const jobRows = ids.length === 0 ? [] : yield* rows('SELECT * FROM @jobs WHERE id IN ?*', ids)
  const jobs = new Map(jobRows.map((written) => [text(written.id), jobFrom(written)]))
  return places.flatMap((place) => {
    const job = jobs.get(place.id)
    return job === undefined ? [] : [{ job, place }]
  })
}

function* placesOf(query: JobPageQuery): Script<JobPlace[]> {
  const order = orders[query.sort]
  const { after, limit } = query
  const amongEmpty = after?.value === null
  const first = amongEmpty ? [] : yield* placesWhere(query, order, order.valued, limit)
  if (order.empty === undefined || first.length === limit) return first
  const { after: _, ...fromStart } = query
  const byId = { key: 'j.id', needs: order.needs }
  const rest = yield* placesWhere(amongEmpty ? query : fromStart, byId, order.empty, limit - first.length)
  return [...first, ...rest.map(({ id }) => ({ id, value: null }))]
}

function* placesWhere(
  query: JobPageQuery,
  { key, needs }: Order,
  condition: string | undefined,
  limit: number,
): Script<JobPlace[]> {
  const { after, descending } = query
  const matched = yield* matchedJobs(query, needs)
  const { where } = matched
  if (condition !== undefined) where.and(condition)
  const [beyond, way] = descending ? ['<', 'DESC'] : ['>', 'ASC']
  if (after !== undefined) where.and(...beyondPlace(key, beyond, after))
  const order = key === 'j.id' ? `j.id ${way}` : `${key} ${way}, j.id ${way}`
  const places = yield* rows(
    `SELECT j.id, ${key} AS place FROM ${matched.from} WHERE ${where.text} ORDER BY ${order} LIMIT ?`,
    ...paramsOf(matched),
    limit,
  )
  return places.map(({ id, place }) => ({ id: text(id), value: place ?? null }))
}

function beyondPlace(key: string, beyond: string, { value, id }: JobPlace): [string, ...Param[]] {
  if (key === 'j.id') return [`j.id ${beyond} ?`, idOrNone(id)]
  if (id === '') return [`${key} ${beyond} ?`, value]
  // The first half is for the index.
  return [`${key} ${beyond}= ? AND (${key} ${beyond} ? OR j.id ${beyond} ?)`, value, value, idOrNone(id)]
}

/** At most `cap`: whoever reads that number knows that there may be more. */
export function* countMatches(filter: JobFilter, cap: number): Script<number> {
  const matched = yield* matchedJobs(filter, [])
  const counted = yield* row(
    `SELECT count(*) AS n FROM (SELECT j.id FROM ${matched.from} WHERE ${matched.where.text} LIMIT ?) counted`,
    ...paramsOf(matched),
    cap,
  )
  return number(counted?.n)
}

export function* countTags(limit: number): Script<TagCount[]> {
  const tags = yield* rows(
    `SELECT t.tag, count(*) AS n FROM @job_tags t JOIN @jobs j ON j.id = t.job_id
     WHERE j.deleted_at IS NULL GROUP BY t.tag ORDER BY n DESC, t.tag LIMIT ?`,
    limit,
  )
  return tags.map(({ tag, n }) => ({ tag: text(tag), jobs: number(n) }))
}

/** The names of all that match, in their order. */
export function* matchingNames(filter: JobFilter, limit: number): Script<string[]> {
  const matched = yield* matchedJobs(filter, [])
  const jobs = yield* rows(
    `SELECT j.name FROM ${matched.from} WHERE ${matched.where.text} ORDER BY j.name LIMIT ?`,
    ...paramsOf(matched),
    limit,
  )
  return jobs.map((written) => text(written.name))
}

function paramsOf({ fromParams, where }: MatchedJobs): Param[] {
  return [...fromParams, ...where.params]
}

const statusPageText = (looked: string) => `SELECT j.id, ${statusText} AS status FROM (
    SELECT j.id, j.state, j.schedule_kind, ${looked} FROM @jobs j
    WHERE j.deleted_at IS NULL AND ${noWebhook('j.name')} AND j.id > ? ORDER BY j.id LIMIT ?) j ORDER BY j.id`

/** By the words of the list, so that the two agree; a page at a time, since each job's last execution is looked up. */
export function* countStatuses(now: number): Script<Partial<Record<JobStatus, number>>> {
  const looked = lastColumns(orders.status.needs, now)
  const pageText = statusPageText(looked.text)
  const counts: Partial<Record<JobStatus, number>> = {}
  let after: string | undefined = noId
  while (after !== undefined) {
    const page: Row[] = yield* rows(pageText, ...looked.params, ...webhookRange, after, pageRows)
    for (const job of page) {
      const status = jobStatusOf(job.status)
      counts[status] = (counts[status] ?? 0) + 1
    }
    after = page.length < pageRows ? undefined : text(page.at(-1)?.id)
  }
  return counts
}
