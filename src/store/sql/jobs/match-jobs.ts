/**
 * A filter of jobs as SQL. What stands in the job's own row, or in `job_tags`, is asked of these; what its last execution
 * says is looked up by the index of its history, once for each job that the rest lets through. No column of the job repeats
 * it: each run would have to write the row of its job, over which all nodes meet.
 */
import { webhookKey } from '../../../core/job/handler.ts'
import type { JobStatus } from '../../../core/job/job-status.ts'
import type { JobFilter, JobTerm } from '../../store.ts'
import { type LastColumn, lastColumns } from '../executions/last-executions.ts'
import { noWebhook, webhookRange } from '../notices/audience.ts'
import { healthStateOf, jobStatusOf, text } from '../runtime/rows.ts'
import { type Param, rows, type Script } from '../runtime/script.ts'
import { likeText, Where } from '../runtime/where.ts'
import { searched } from './find-jobs.ts'
import { healthCondition, isLed } from './job-health.ts'

/** As `jobStatus` of core derives it of a job that has been read; a test compares the two. */
export const statusText = `CASE
  WHEN j.last_running = 'running' THEN 'running'
  WHEN j.state IN ('paused', 'disabled') THEN 'paused'
  WHEN j.state = 'cancelled' THEN 'cancelled'
  WHEN j.state = 'error' THEN 'failed'
  WHEN j.state = 'completed' AND j.newest_state = 'failed' THEN 'failed'
  WHEN j.state = 'completed' AND j.newest_state IN ('blocked', 'pending', 'retrying') THEN 'pending'
  WHEN j.state = 'completed' THEN 'completed'
  WHEN j.schedule_kind IS NOT NULL THEN 'scheduled'
  WHEN j.newest_state IN ('completed', 'failed', 'cancelled') THEN j.newest_state
  ELSE 'pending' END`

const notRunning = `COALESCE(j.last_running, '') <> 'running'`
const runsOnce = `j.state = 'active' AND j.schedule_kind IS NULL`
/** Where the newest has ended, it is the last, too. */
const ended = (state: string) => `COALESCE(j.newest_state, '') = '${state}'`

/** The same, one by one, what the job's own row says first: so that most jobs are decided without their history. */
export const statusConditions: Readonly<Record<JobStatus, string>> = {
  running: `COALESCE(j.last_running, '') = 'running'`,
  paused: `(j.state IN ('paused', 'disabled') AND ${notRunning})`,
  cancelled: `(j.state = 'cancelled' AND ${notRunning} OR ${runsOnce} AND ${ended('cancelled')})`,
  failed: `(j.state = 'error' AND ${notRunning} OR (j.state = 'completed' OR ${runsOnce}) AND ${ended('failed')})`,
  completed: `(j.state = 'completed' AND COALESCE(j.newest_state, 'completed') IN ('completed', 'cancelled')
    OR ${runsOnce} AND ${ended('completed')})`,
  scheduled: `(j.state = 'active' AND j.schedule_kind IS NOT NULL AND ${notRunning})`,
  pending: `(j.state = 'completed' AND ${notRunning} AND COALESCE(j.newest_state, '') IN ('blocked', 'pending', 'retrying')
    OR ${runsOnce} AND ${notRunning} AND COALESCE(j.newest_state, 'pending') IN ('blocked', 'pending', 'retrying'))`,
}

export interface MatchedJobs {
  /** For `FROM`, with the alias `j`. */
  readonly from: string
  readonly where: Where
  readonly fromParams: readonly Param[]
}

/** The jobs that match, with what `more` needs of their executions. */
export function* matchedJobs(
  { terms, search, now }: JobFilter,
  more: readonly LastColumn[],
): Script<MatchedJobs> {
  const own = new Where('j.deleted_at IS NULL')
  if (!terms.some(namesWebhooks)) own.and(noWebhook('j.name'), ...webhookRange)
  const last = new Where('1 = 1')
  const needed = new Set(more)
  const led = terms.some(({ by }) => by === 'health') && (yield* isLed(now))
  if (search !== undefined) own.and(...searched(search))
  for (const term of terms) {
    const columns = lastNeeded(term)
    for (const column of columns) needed.add(column)
    const { text, params } = conditionOf(term, led, now)
    const where = columns.length === 0 ? own : last
    where.and(term.negated ? `NOT ${text}` : text, ...params)
    const few = term.negated ? null : yield* fewOf(term)
    if (few !== null) own.and('j.id IN ?*', few)
  }
  if (needed.size === 0) return { from: '@jobs j', where: own, fromParams: [] }
  const looked = lastColumns([...needed], now)
  return {
    from: `(SELECT j.id, j.name, j.state, j.schedule_kind, j.next_due_at, ${looked.text} FROM @jobs j WHERE ${own.text}) j`,
    where: last,
    fromParams: [...looked.params, ...own.params],
  }
}

/** Webhooks are listed as such, and among the jobs only for who asks by their handler. */
function namesWebhooks(term: JobTerm): boolean {
  return term.by === 'handler' && term.values.includes(webhookKey)
}

/** Beyond that many it is quicker to walk along the order that is asked for. */
const fewJobs = 1_000

/** The ids among which a term's jobs must be, where an index knows that there are few; else null. */
function* fewOf(term: JobTerm): Script<string[] | null> {
  const few = fewText(term)
  if (few === null) return null
  const jobs = yield* rows(`${few.text} LIMIT ?`, ...few.params, fewJobs + 1)
  return jobs.length > fewJobs ? null : [...new Set(jobs.map(({ job_id }) => text(job_id)))]
}

function fewText(term: JobTerm): Condition | null {
  if (!('values' in term)) return null
  const { by, values } = term
  if (by === 'tag') return { text: 'SELECT job_id FROM @job_tags WHERE tag IN ?*', params: [values] }
  const only = (value: string) => values.every((other) => other === value)
  if (by === 'health' && only('failing'))
    return { text: 'SELECT job_id FROM @unproven WHERE failures > 0', params: [] }
  if (by === 'last' && only('failed'))
    return { text: `SELECT job_id FROM @finished_executions WHERE state = 'failed'`, params: [] }
  if ((by === 'last' || by === 'status') && only('running'))
    return {
      text: `SELECT job_id FROM @live_executions WHERE state = 'running' AND leased_until > 0`,
      params: [],
    }
  return null
}

function lastNeeded({ by, ...term }: JobTerm): LastColumn[] {
  if (by === 'status') return ['last_running', 'newest_state']
  if (by !== 'last' || !('values' in term)) return []
  return term.values.includes('late') ? ['last_state', 'last_account'] : ['last_state']
}

interface Condition {
  readonly text: string
  readonly params: readonly Param[]
}

/** Never null, so that it can be negated. */
function conditionOf(term: JobTerm, led: boolean, now: number): Condition {
  if (term.by === 'next') {
    const where = new Where(`j.state = 'active' AND j.next_due_at IS NOT NULL`)
    if (term.from !== null) where.and('j.next_due_at >= ?', term.from)
    if (term.to !== null) where.and('j.next_due_at < ?', term.to)
    return { text: `(${where.text})`, params: where.params }
  }
  const { by, values } = term
  switch (by) {
    case 'tag':
      return {
        text: 'EXISTS (SELECT 1 FROM @job_tags t WHERE t.job_id = j.id AND t.tag IN ?*)',
        params: [values],
      }
    case 'managed':
      return anyOf(values, (value) => [
        `j.managed_by = ? OR j.managed_by LIKE ? ESCAPE '!'`,
        value,
        `${likeText(value)}:%`,
      ])
    case 'zone':
      return { text: `(COALESCE(j.timezone, 'UTC') IN ?*)`, params: [values] }
    case 'schedule':
      return { text: `(COALESCE(j.schedule_kind, 'none') IN ?*)`, params: [values] }
    case 'status':
      return {
        text: `(${values.map((value) => statusConditions[jobStatusOf(value)]).join(' OR ')})`,
        params: [],
      }
    case 'health':
      return anyOf(values, (value) => {
        const { text, params } = healthCondition(healthStateOf(value), led, now)
        return [text, ...params]
      })
    case 'last':
      return anyOf(values, (value) => {
        if (value === 'never') return ['j.last_state IS NULL']
        if (value === 'late') return [`COALESCE(j.last_account, '') = 'caught_up'`]
        return [`COALESCE(j.last_state, '') = ?`, value]
      })
    case 'state':
    case 'queue':
    case 'handler':
      return { text: `(j.${by} IN ?*)`, params: [values] }
  }
}

function anyOf(values: readonly string[], one: (value: string) => readonly [string, ...Param[]]): Condition {
  const conditions = values.map(one)
  return {
    text: `(${conditions.map(([text]) => text).join(' OR ')})`,
    params: conditions.flatMap(([, ...params]) => params),
  }
}
