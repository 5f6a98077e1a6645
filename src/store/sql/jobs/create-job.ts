/** A job's first row, its first revision, and what every later change shares with that. */
import { EvertickError } from '../../../core/error.ts'
import type { Job, JobSpec } from '../../../core/job/job.ts'
import { legalActions } from '../../../core/job/job-state.ts'
import type { ChangeContext, NewJob, OwedTick } from '../../store.ts'
import { recordChange } from '../notices/tell-changes.ts'
import { jobFrom, number } from '../runtime/rows.ts'
import { insertAll, insertRow, row, run, type Script, type ScriptContext } from '../runtime/script.ts'
import { dueOf } from '../ticks/settle.ts'
import { executionRow, insertExecutions } from '../work/insert-execution.ts'
import { settleLane } from '../work/lane.ts'
import { specColumns } from './job-columns.ts'
import { lockJob } from './lock-job.ts'
import { insertUnproven } from './unproven.ts'

export function* createJob(job: NewJob, context: ScriptContext): Script<Job> {
  const { name, spec } = job
  const { now, actor, origin } = job.context
  const existing = yield* lockJob(name)
  if (existing !== null) {
    throw new EvertickError('job_exists', `There is already a job named "${name}".`, {
      field: 'name',
      next: 'Update it, or choose another name.',
    })
  }
  const { schedule } = spec
  const accountedUntil = schedule?.kind === 'at' ? yield* beginOfOnce(job, schedule.at) : now + 1
  const openTickAt = schedule?.kind === 'fixed_delay' ? now + schedule.delayMs : null
  const begun = job.paused ? ('paused' as const) : ('active' as const)
  const pause = job.paused ? { at: now, until: null, reason: null, by: actor } : null
  const nextDueAt = dueOf({ name, spec, state: begun, openTickAt, accountedUntil, pause })
  const over = begun === 'active' && schedule?.kind === 'at' && nextDueAt === null
  const state = over ? ('completed' as const) : begun
  yield* insertRow('jobs', {
    id: job.id,
    name,
    state,
    ...specColumns(spec),
    revision_from: accountedUntil,
    accounted_until: accountedUntil,
    ledger_from: accountedUntil,
    tz_version: context.tzVersion,
    next_due_at: nextDueAt,
    open_tick_at: openTickAt,
    paused_at: pause?.at ?? null,
    paused_by: pause?.by ?? null,
    managed_by: job.managedBy,
    managed_hash: job.managedHash,
    created_at: now,
    updated_at: now,
  })
  yield* insertUnproven(job.id)
  yield* insertTags(job.id, spec)
  yield* insertRevision(job.id, 1, accountedUntil, spec, job.context, context)
  const created = yield* readJob(job.id)
  yield* recordChange({
    entry: { at: now, actor, origin, action: 'job.create', subject: name, before: null, after: spec },
    job: created,
  })
  if (job.owed !== undefined) yield* insertOwed(created, job.owed, now, context)
  return created
}

/** They are older than the start of the ledger: readable, but no longer counted. */
function* insertOwed(
  job: Job,
  owed: readonly OwedTick[],
  now: number,
  { newId }: ScriptContext,
): Script<void> {
  const ticks = owed
    .toSorted((a, b) => a.tickAt - b.tickAt)
    .map(({ tickAt, attempt }) => ({ tickAt, attempt, id: newId(now) }))
  yield* insertExecutions(
    ticks.map(({ id, tickAt }, index) =>
      executionRow(job, {
        id,
        cause: 'catch_up',
        tickAt,
        account: 'caught_up',
        scheduledFor: tickAt,
        state: job.spec.overlap === 'allow' ? 'pending' : 'blocked',
        readyAt: now,
        index: index + 1,
        of: ticks.length,
        input: job.spec.input ?? undefined,
        metadata: {},
        retryOf: null,
        idempotencyKey: null,
        createdAt: now,
      }),
    ),
  )
  for (const { id, attempt } of ticks) {
    if (attempt > 0) yield* run('UPDATE @live_executions SET attempt = ? WHERE id = ?', attempt, id)
  }
  yield* settleLane(job, now)
}

/**
 * A missed `at` is still there to be caught up; any other schedule begins after its creation. But where an operator
 * deleted the job and its manager only brings it back, what the deleted one had accounted for is not due again.
 */
function* beginOfOnce({ name, managedBy, context: { now } }: NewJob, at: number): Script<number> {
  const begin = Math.min(now + 1, at)
  if (managedBy === 'api') return begin
  const deleted = yield* row(
    'SELECT max(accounted_until) AS accounted_until FROM @jobs WHERE name = ? AND managed_by = ? AND deleted_at IS NOT NULL',
    name,
    managedBy,
  )
  return Math.max(begin, number(deleted?.accounted_until ?? 0))
}

export function* insertRevision(
  jobId: string,
  revision: number,
  from: number,
  spec: JobSpec,
  { now, actor }: ChangeContext,
  { tzVersion }: ScriptContext,
): Script<void> {
  yield* insertRow('job_revisions', {
    job_id: jobId,
    revision,
    from_at: from,
    spec: JSON.stringify(spec),
    changed_by: actor,
    changed_at: now,
    tz_version: tzVersion,
  })
}

/** A tag that appears twice in the spec counts once. */
function* insertTags(jobId: string, { tags }: JobSpec): Script<void> {
  yield* insertAll(
    'job_tags',
    { tag: 'text', job_id: 'uuid' },
    [...new Set(tags)].map((tag) => ({ tag, job_id: jobId })),
  )
}

export function* changeTags(jobId: string, before: JobSpec, after: JobSpec): Script<void> {
  if (JSON.stringify(before.tags) === JSON.stringify(after.tags)) return
  yield* run('DELETE FROM @job_tags WHERE job_id = ?', jobId)
  yield* insertTags(jobId, after)
}

export function* readJob(id: string): Script<Job> {
  const job = yield* row('SELECT * FROM @jobs WHERE id = ?', id)
  if (job === null) throw jobNotFound(id)
  return jobFrom(job)
}

export function jobNotFound(reference: string): EvertickError {
  return new EvertickError('job_not_found', `There is no job "${reference}".`, {
    next: 'List the jobs with `evertick jobs list`.',
  })
}

export function jobCancelled(name: string): EvertickError {
  return new EvertickError('invalid_transition', `Job "${name}" is cancelled: it takes no new work.`, {
    next: 'Resume it first.',
    transition: { state: 'cancelled', asked: 'pending', actions: legalActions('cancelled', null) },
  })
}
