/** Jobs, and the revisions of one. */
import { webhookKey } from '../../../core/job/handler.ts'
import type { Job } from '../../../core/job/job.ts'
import type { JobMark, JobQuery, PausedJob, Revision } from '../../store.ts'
import { noWebhook, webhookRange } from '../notices/audience.ts'
import { jobFrom, number, specFrom, text } from '../runtime/rows.ts'
import { type Row, row, rows, type Script } from '../runtime/script.ts'
import { countsOf, likeText, Where } from '../runtime/where.ts'

/** A job's row is large: it has the whole spec. */
export const jobsPerPage = 200

export function* listJobs(query: JobQuery): Script<Job[]> {
  const jobs: Job[] = []
  for (let after = query.afterName; jobs.length < query.limit; after = jobs.at(-1)?.name) {
    const where = new Where('deleted_at IS NULL')
    where.and(noWebhook('name'), ...webhookRange)
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
  const jobs = yield* rows(
    'SELECT id, name, revision, handler, deleted_at, updated_at FROM @jobs WHERE updated_at >= ? ORDER BY updated_at',
    since,
  )
  return jobs.map((job) => ({
    id: text(job.id),
    name: text(job.name),
    revision: number(job.revision),
    deleted: job.deleted_at !== null,
    isWebhook: text(job.handler) === webhookKey,
    updatedAt: number(job.updated_at),
  }))
}

export function* listRevisions(jobId: string): Script<Revision[]> {
  const revisions = yield* rows('SELECT * FROM @job_revisions WHERE job_id = ? ORDER BY revision', jobId)
  return revisions.map(revisionFrom)
}

export function revisionFrom(revision: Row): Revision {
  return {
    revision: number(revision.revision),
    from: number(revision.from_at),
    spec: specFrom(revision.spec),
    changedBy: text(revision.changed_by),
    changedAt: number(revision.changed_at),
    tzVersion: text(revision.tz_version),
  }
}

/** In the words of its partial index. */
const pausedText = `SELECT name, paused_at FROM @jobs
  WHERE deleted_at IS NULL AND state <> 'active' AND state = 'paused' AND paused_at <= ? LIMIT ?`

export function* pausedBefore(at: number, limit: number): Script<PausedJob[]> {
  const paused = yield* rows(pausedText, at, limit)
  return paused.map(({ name, paused_at }) => ({ name: text(name), since: number(paused_at) }))
}

/** All by the index of their names, those at rest by their own: nobody reads the rows of active jobs. */
export function* countJobs(): Script<Record<string, number>> {
  const resting = yield* rows(
    `SELECT state, count(*) AS n FROM @jobs WHERE deleted_at IS NULL AND state <> 'active' AND ${noWebhook('name')} GROUP BY state`,
    ...webhookRange,
  )
  const all = yield* row(
    `SELECT count(*) AS n FROM @jobs WHERE deleted_at IS NULL AND ${noWebhook('name')}`,
    ...webhookRange,
  )
  const counts = countsOf(resting)
  const active = number(all?.n) - resting.reduce((sum, { n }) => sum + number(n), 0)
  return active > 0 ? { active, ...counts } : counts
}

/** Jobs with the tag that is its parameter. */
export const tagged = 'id IN (SELECT job_id FROM @job_tags WHERE tag = ?)'

/** ASCII letters match in either case. Engines disagree about other letters, so those are matched as written. */
export function searched(search: string): [string, string, string] {
  const lowered = search.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const pattern = (text: string) => `%${likeText(text)}%`
  return [`(lower(name) LIKE ? ESCAPE '!' OR name LIKE ? ESCAPE '!')`, pattern(lowered), pattern(search)]
}
