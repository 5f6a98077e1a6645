/**
 * Operators' and deploys' changes of a job. Each is one transaction that holds the job's row: settle what is due, take
 * back what was accounted ahead, change, and leave a revision and a line in the audit log.
 */

import { handlerKey } from '../../../core/job/handler.ts'
import type { Job, JobSpec } from '../../../core/job/job.ts'
import { nextJobState } from '../../../core/job/job-state.ts'
import type { ChangeContext, JobChange, NewAuditEntry } from '../../store.ts'
import { recordChange } from '../notices/tell-changes.ts'
import { row, run, type Script, type ScriptContext, setText } from '../runtime/script.ts'
import { endPauseIfOver } from '../ticks/account-ticks.ts'
import { resetCursor } from '../ticks/reset-cursor.ts'
import { revokeAhead } from '../ticks/revoke-ahead.ts'
import { dormantReasons, dueOf, settleDue, skipDue } from '../ticks/settle.ts'
import { settleLane } from '../work/lane.ts'
import { cancelWaiting, makeFinal } from '../work/make-final.ts'
import { holdToStop } from '../work/reserves.ts'
import { isUnfinished } from '../work/states.ts'
import { changeTags, insertRevision, jobNotFound, readJob } from './create-job.ts'
import { pauseColumns, specColumns } from './job-columns.ts'
import { lockJob } from './lock-job.ts'
import { evaluates, type Turn, turnOf } from './turn.ts'

export function* changeJob(
  reference: string,
  change: JobChange,
  by: ChangeContext,
  context: ScriptContext,
): Script<Job> {
  const locked = yield* lockJob(reference)
  if (locked === null) throw jobNotFound(reference)
  // Two nodes of one deploy start together: the second finds its definition written.
  if (change.kind === 'edit' && change.managedHash !== undefined && change.managedHash === locked.managedHash)
    return locked
  const changed = yield* changeHeld(locked, change, by, context)
  yield* recordChange({ entry: changeEntry(locked, changed, change, by), job: changed })
  return yield* readJob(locked.id)
}

/** The caller holds the job's row, and writes the line in the audit log. */
export function* changeHeld(
  locked: Job,
  change: JobChange,
  by: ChangeContext,
  context: ScriptContext,
): Script<Job> {
  const { now } = by
  const current = evaluates(locked) ? yield* endPauseIfOver(locked, now, context) : locked
  const before = yield* revokeAhead(current, now)
  const changed = yield* applyChange(before, change, by, context)
  const after = standing(changed)
  const columns = {
    state: after.state,
    revision: after.revision,
    revision_from: after.revisionFrom,
    tz_version: after.tzVersion,
    ...specColumns(after.spec),
    next_due_at: after.nextDueAt,
    open_tick_at: after.openTickAt,
    ...pauseColumns(after),
    managed_by: after.managedBy,
    managed_hash: after.managedHash,
    updated_at: now,
    deleted_at: after.deletedAt,
  }
  yield* run(
    `UPDATE @jobs SET version = version + 1, ${setText(columns)} WHERE id = ?`,
    ...Object.values(columns),
    after.id,
  )
  yield* changeTags(after.id, locked.spec, after.spec)
  yield* passOn(locked, after)
  yield* settleLane(after, now)
  return changed
}

/** With the instant at which it is due, or completed where its schedule has none left. */
export function standing(job: Job): Job {
  const nextDueAt = dueOf(job)
  const ended =
    job.state === 'active' && job.spec.schedule !== null && nextDueAt === null && !waitsForRun(job)
  return { ...job, nextDueAt, state: ended ? 'completed' : job.state }
}

/** A fixedDelay job whose tick is under way has no due instant until that run ends. */
function waitsForRun(job: Job): boolean {
  return job.spec.schedule?.kind === 'fixed_delay'
}

function* applyChange(job: Job, change: JobChange, by: ChangeContext, context: ScriptContext): Script<Job> {
  const { now } = by
  switch (change.kind) {
    case 'pause':
    case 'resume': {
      const { settle, become } = turnOf(job, change, by)
      const after = become(yield* settleFor(job, settle, now, context))
      if (change.kind === 'pause') return after
      return { ...after, openTickAt: yield* openTick(after, after.spec, now) }
    }
    case 'disable': {
      const state = nextJobState(job.name, job.state, 'disable')
      const { job: settled } = yield* settleDue(job, { now }, context)
      return { ...settled, state }
    }
    case 'enable': {
      const state = nextJobState(job.name, job.state, 'enable')
      return { ...(yield* skipDue(job, now, 'disabled', now, context)), state }
    }
    case 'cancel': {
      const state = nextJobState(job.name, job.state, 'cancel')
      return { ...(yield* endJob(job, now, context)), state }
    }
    case 'delete':
      return { ...(yield* endJob(job, now, context)), state: 'cancelled', deletedAt: now }
    case 'edit':
      return yield* editJob(job, change, by, context)
    case 'reset_cursor':
      return yield* resetCursor(job, now)
  }
}

/** Unfinished executions follow the new definition, so they are for the nodes that can run it. */
function* passOn(before: Job, after: Job): Script<void> {
  const handler = handlerKey(after.spec.handler)
  if (handler === handlerKey(before.spec.handler)) return
  yield* run(
    `UPDATE @live_executions SET handler = ? WHERE job_id = ? AND ${isUnfinished}`,
    handler,
    after.id,
  )
}

function* settleFor(job: Job, settle: Turn['settle'], now: number, context: ScriptContext): Script<Job> {
  if (settle === null) return job
  if (settle === 'dormant') return yield* settleDormant(job, now, context)
  return (yield* settleDue(job, { now, catchUp: settle.catchUp }, context)).job
}

function* settleDormant(job: Job, now: number, context: ScriptContext): Script<Job> {
  const reason = job.state === 'active' ? 'ended' : dormantReasons[job.state]
  // A spec that does not evaluate has no ticks to count: the cursor only moves on.
  if (job.state === 'error' || !evaluates(job)) {
    const accountedUntil = Math.max(job.accountedUntil, now + 1)
    yield* run('UPDATE @jobs SET accounted_until = ? WHERE id = ?', accountedUntil, job.id)
    return { ...job, accountedUntil }
  }
  return yield* skipDue(job, now, reason, now, context)
}

function* endJob(job: Job, now: number, context: ScriptContext): Script<Job> {
  const settled = yield* settleDormant(job, now, context)
  yield* holdToStop(`job_id = ? AND ${isUnfinished}`, job.id)
  yield* makeFinal(yield* cancelWaiting('job_cancelled', now, 'job_id = ?', job.id))
  yield* run(
    `UPDATE @live_executions SET cancel_requested_at = ?, cancel_reason = 'job_cancelled'
     WHERE job_id = ? AND state = 'running' AND cancel_requested_at IS NULL`,
    now,
    job.id,
  )
  return { ...settled, pause: null, openTickAt: null }
}

/** The open tick that a fixedDelay job needs to go on: the one it has, or a first one where no run will write it. */
function* openTick(job: Job, spec: JobSpec, now: number): Script<number | null> {
  if (spec.schedule?.kind !== 'fixed_delay') return null
  if (job.openTickAt !== null) return job.openTickAt
  const unfinished = yield* row(
    `SELECT id FROM @live_executions WHERE job_id = ? AND tick_at IS NOT NULL
     AND ${isUnfinished} LIMIT 1`,
    job.id,
  )
  return unfinished === null ? Math.max(now + spec.schedule.delayMs, job.accountedUntil) : null
}

function* editJob(
  job: Job,
  change: Extract<JobChange, { kind: 'edit' }>,
  by: ChangeContext,
  context: ScriptContext,
): Script<Job> {
  const { now } = by
  const spec = typeof change.spec === 'function' ? change.spec(job) : change.spec
  const state = nextJobState(job.name, job.state, 'edit')
  const ticksChange = ticksOf(job.spec) !== ticksOf(spec)
  let settled = job
  if (job.state === 'active') settled = (yield* settleDue(job, { now }, context)).job
  else if (ticksChange) settled = yield* settleDormant(job, now, context)

  const revision = job.revision + 1
  const revisionFrom = settled.accountedUntil
  yield* insertRevision(job.id, revision, revisionFrom, spec, by, context)
  const delayChanges = ticksChange && spec.schedule?.kind === 'fixed_delay'
  const openTickAt = yield* openTick(delayChanges ? { ...settled, openTickAt: null } : settled, spec, now)
  const edited: Job = {
    ...settled,
    spec,
    revision,
    revisionFrom,
    tzVersion: context.tzVersion,
    openTickAt,
    managedBy: change.managedBy ?? job.managedBy,
    managedHash: change.managedHash ?? job.managedHash,
  }
  // A schedule with new ticks brings a completed job back to life.
  return { ...edited, state: settled.state === 'completed' ? (ticksChange ? 'active' : 'completed') : state }
}

function ticksOf(spec: JobSpec): string {
  return JSON.stringify([spec.schedule, spec.startAt, spec.endAt, spec.maxRuns])
}

export function changeEntry(
  before: Job,
  after: Job,
  change: JobChange,
  { now, actor, origin }: ChangeContext,
): NewAuditEntry {
  const { name } = before
  return {
    at: now,
    actor,
    origin,
    action: `job.${change.kind}`,
    subject: name,
    ...told(before, after, change),
  }
}

function told(before: Job, after: Job, change: JobChange): Pick<NewAuditEntry, 'before' | 'after'> {
  if (change.kind === 'edit') return { before: before.spec, after: after.spec }
  if (change.kind === 'reset_cursor') return { before: before.accountedUntil, after: after.accountedUntil }
  const { kind: _, ...details } = change
  return { before: { state: before.state }, after: { state: after.state, ...details } }
}
