/** Jobs that need attention, each with its reason: first those that no node can run, then late, failing and paused ones. */
import { type HealthState, healthOf } from '../../core/job/health.ts'
import type { Job } from '../../core/job/job.ts'
import type { JobHealth } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'

export interface Problem {
  readonly job: string
  readonly why: 'late' | 'failed' | 'paused' | 'disabled' | 'error'
  readonly since: Date
  readonly executionId?: string
  /** For a job in bad health: how it is, and what to do. */
  readonly sentence?: string
  readonly next?: string
}

const most = 20
/** A short pause is intended; a long one may be forgotten. */
const longPauseMs = 7 * 86_400_000

export async function problemsOf(app: AppContext): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const state of ['disabled', 'late', 'failing'] as const) {
    if (problems.length < most) problems.push(...(await inHealth(app, state, most - problems.length)))
  }
  const paused = await app.store.jobs.pausedBefore(app.clock.now() - longPauseMs, most - problems.length)
  return [
    ...problems,
    ...paused.map(({ name, since }) => ({ job: name, why: 'paused' as const, since: new Date(since) })),
  ]
}

async function inHealth(
  { store, clock }: AppContext,
  state: Extract<HealthState, 'disabled' | 'late' | 'failing'>,
  limit: number,
): Promise<Problem[]> {
  const now = clock.now()
  const terms = [{ by: 'health' as const, values: [state], negated: false }]
  const rows = await store.jobs.pageJobs({ terms, now, sort: 'name', descending: false, limit })
  const jobs = rows.map(({ job }) => job)
  const facts = await store.jobs.readHealth(
    jobs.map(({ id }) => id),
    now,
  )
  return facts.flatMap((health, index) => {
    const job = jobs[index]
    return job === undefined ? [] : [problemOf(job, health, now)]
  })
}

function problemOf(job: Job, facts: JobHealth, now: number): Problem {
  const { state, sentence, next } = healthOf(job, facts, now)
  const said = { job: job.name, sentence, ...(next === undefined ? {} : { next }) }
  if (state === 'failing') {
    const { failedId, failedAt } = facts
    const execution = failedId === null ? {} : { executionId: failedId }
    return { ...said, why: 'failed', since: new Date(failedAt ?? now), ...execution }
  }
  const waiting = new Date(Math.min(facts.unstartedSince ?? now, job.nextDueAt ?? now, now))
  if (state === 'late') return { ...said, why: 'late', since: waiting }
  // A job that is still active is not stored as disabled yet.
  const since = job.state === 'active' ? waiting : new Date(job.updatedAt)
  return { ...said, why: job.state === 'error' ? 'error' : 'disabled', since }
}
