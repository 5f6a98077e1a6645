/** Reading jobs and executions for people and programs. */

import { leaseSlackMs } from '../../core/attempt/lease.ts'
import type { Execution } from '../../core/execution/execution.ts'
import type { FinishedRun } from '../../core/history/statistics.ts'
import type { Job } from '../../core/job/job.ts'
import type { JobMark, JobQuery, LogRow, ProgressRow, Revision } from '../store.ts'
import { executionFrom, jobFrom, number, optionalNumber, specFrom, text } from './rows.ts'
import { insertAll, type Param, pageRows, type Row, row, rows, run, type Script } from './script.ts'

/** A job is much to read: its spec, and more. */
export const jobsPerPage = 200

export function* listJobs(query: JobQuery): Script<Job[]> {
  const jobs: Job[] = []
  for (let after = query.afterName; jobs.length < query.limit; after = jobs.at(-1)?.name) {
    const where = new Where('deleted_at IS NULL')
    if (query.state !== undefined) where.and('state = ?', query.state)
    // By the index of those at rest: this is asked whenever a job is defined, and nearly all are active.
    if (query.state !== undefined && query.state !== 'active') where.and(`state <> 'active'`)
    if (query.search !== undefined) where.and(...searched(query.search))
    if (query.tag !== undefined) where.and(tagged, query.tag)
    if (after !== undefined) where.and('name > ?', after)
    const most = Math.min(jobsPerPage, query.limit - jobs.length)
    const text = `SELECT * FROM @jobs WHERE ${where.text} ORDER BY name LIMIT ?`
    const page = yield* rows(text, ...where.params, most)
    jobs.push(...page.map(jobFrom))
    if (page.length < most) break
  }
  return jobs
}

export function* jobsChangedSince(since: number): Script<JobMark[]> {
  const found = yield* rows(
    'SELECT id, name, revision, deleted_at, updated_at FROM @jobs WHERE updated_at >= ? ORDER BY updated_at',
    since,
  )
  return found.map((job) => ({
    id: text(job.id),
    name: text(job.name),
    revision: number(job.revision),
    deleted: job.deleted_at !== null,
    updatedAt: number(job.updated_at),
  }))
}

export function* listLeases(filter: 'active' | 'expired', now: number, limit = 1_000): Script<Execution[]> {
  const found = yield* rows(
    `SELECT e.*, j.name AS job_name FROM @job_executions e LEFT JOIN @jobs j ON j.id = e.job_id
     WHERE e.state = 'running' AND ${filter === 'active' ? 'e.leased_until > ?' : 'e.leased_until <= ?'}
     ORDER BY e.leased_until LIMIT ?`,
    now - leaseSlackMs,
    limit,
  )
  return found.map(executionFrom)
}

export function* listRevisions(jobId: string): Script<Revision[]> {
  const found = yield* rows('SELECT * FROM @job_revisions WHERE job_id = ? ORDER BY revision', jobId)
  return found.map((revision) => ({
    revision: number(revision.revision),
    from: number(revision.from_at),
    spec: specFrom(revision.spec),
    changedBy: text(revision.changed_by),
    changedAt: number(revision.changed_at),
    tzVersion: text(revision.tz_version),
  }))
}

/** The newest finished runs, for statistics: of one job, or of all. */
export function* jobRuns(jobId: string | null, limit: number): Script<FinishedRun[]> {
  const columns = 'SELECT seq, state, started_at, finished_at FROM @job_executions'
  const final = `state IN ('completed', 'failed', 'cancelled') AND seq < ?`
  const found: Row[] = []
  for (let before = Number.MAX_SAFE_INTEGER; found.length < limit; ) {
    const most = Math.min(pageRows, limit - found.length)
    const page =
      jobId === null
        ? yield* rows(`${columns} WHERE ${final} ORDER BY seq DESC LIMIT ?`, before, most)
        : yield* rows(
            `${columns} WHERE job_id = ? AND ${final} ORDER BY seq DESC LIMIT ?`,
            jobId,
            before,
            most,
          )
    found.push(...page)
    if (page.length < most) break
    before = number(page.at(-1)?.seq)
  }
  return found.map((finished) => {
    const startedAt = optionalNumber(finished.started_at)
    const finishedAt = optionalNumber(finished.finished_at)
    return {
      state: text(finished.state) as FinishedRun['state'],
      durationMs: startedAt === null || finishedAt === null ? null : finishedAt - startedAt,
    }
  })
}

/** All by the index of their names, those at rest by their own: nobody reads the rows of active jobs. */
export function* countJobs(): Script<Record<string, number>> {
  const resting = yield* rows(
    `SELECT state, count(*) AS n FROM @jobs WHERE deleted_at IS NULL AND state <> 'active' GROUP BY state`,
  )
  const all = yield* row('SELECT count(*) AS n FROM @jobs WHERE deleted_at IS NULL')
  const counts = countsOf(resting)
  const active = number(all?.n) - resting.reduce((sum, { n }) => sum + number(n), 0)
  return active > 0 ? { active, ...counts } : counts
}

export function* countExecutions(): Script<Record<string, number>> {
  return countsOf(yield* rows('SELECT state, count(*) AS n FROM @job_executions GROUP BY state'))
}

function countsOf(counted: readonly Row[]): Record<string, number> {
  return Object.fromEntries(counted.map(({ state, n }) => [text(state), number(n)]))
}

/** What a poll compares: new executions, changed jobs, another leader. Retries and releases come with a worker's own poll. */
export function* lastChange(): Script<string> {
  const found = yield* row(
    `SELECT (SELECT max(seq) FROM @job_executions) AS seq, (SELECT max(updated_at) FROM @jobs) AS updated_at,
       (SELECT fence FROM @locks WHERE name = 'leader') AS fence`,
  )
  return `${found?.seq}:${found?.updated_at}:${found?.fence}`
}

export function* listLogs(executionId: string): Script<LogRow[]> {
  const found = yield* rows('SELECT * FROM @execution_logs WHERE execution_id = ? ORDER BY seq', executionId)
  return found.map((line) => ({
    executionId,
    at: number(line.at),
    level: text(line.level) as LogRow['level'],
    message: text(line.message),
  }))
}

export function* appendLogs(lines: readonly LogRow[]): Script<void> {
  yield* insertAll(
    'execution_logs',
    { execution_id: 'text', at: 'number', level: 'text', message: 'text' },
    lines.map((line) => [line.executionId, line.at, line.level, line.message]),
  )
}

export function* recordProgress(updates: readonly ProgressRow[]): Script<void> {
  for (const update of updates) {
    yield* run(
      `UPDATE @job_executions SET progress = ?, progress_note = ? WHERE id = ? AND fence = ? AND state = 'running'`,
      update.progress,
      update.note,
      update.id,
      update.fence,
    )
  }
}

/** Conditions that are there or not: a parameter that may be null has no type on PostgreSQL. */
export class Where {
  text: string
  readonly params: Param[] = []

  constructor(first: string) {
    this.text = first
  }

  and(condition: string, ...params: Param[]): void {
    this.text += ` AND ${condition}`
    this.params.push(...params)
  }
}

/** Jobs with the tag that is its parameter. */
export const tagged = 'id IN (SELECT job_id FROM @job_tags WHERE tag = ?)'

/** Capitals of ASCII are as good as small letters. Of others each engine thinks differently: those are matched as written. */
export function searched(search: string): [string, string, string] {
  const lowered = search.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const pattern = (text: string) => `%${likeText(text)}%`
  return [`(lower(name) LIKE ? ESCAPE '!' OR name LIKE ? ESCAPE '!')`, pattern(lowered), pattern(search)]
}

export function likeText(search: string): string {
  return search.replaceAll(/[%_!]/g, (special) => `!${special}`)
}

export function* findCancelRequests(nodeId: string): Script<string[]> {
  const found = yield* rows(
    `SELECT id FROM @job_executions WHERE state = 'running' AND leased_by = ? AND cancel_requested_at IS NOT NULL`,
    nodeId,
  )
  return found.map((execution) => text(execution.id))
}
