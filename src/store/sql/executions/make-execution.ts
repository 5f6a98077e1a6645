/** Executions that people ask for: triggers, backfills, retries and cancels. None of them consumes or costs a tick. */
import { EvertickError } from '../../../core/error.ts'
import type { Execution } from '../../../core/execution/execution.ts'
import { refuseIllegalAction } from '../../../core/execution/execution-state.ts'
import { placeTrigger } from '../../../core/execution/overlap.ts'
import { idOrNone } from '../../../core/id.ts'
import type { Job } from '../../../core/job/job.ts'
import { nextJobState } from '../../../core/job/job-state.ts'
import { nominalSequence } from '../../../core/job/sequence.ts'
import type { Backfill, BackfillResult, ChangeContext, Retry, Trigger } from '../../store.ts'
import { writeAuditLog } from '../audit/audit-log.ts'
import { jobNotFound } from '../jobs/create-job.ts'
import { holdLanes, lockJob } from '../jobs/lock-job.ts'
import { executionFrom, text } from '../runtime/rows.ts'
import { row, run, type Script, type ScriptContext } from '../runtime/script.ts'
import { copySteps, restText } from '../steps/step-rows.ts'
import { stepBack } from '../ticks/apply-plan.ts'
import { revokeAhead } from '../ticks/revoke-ahead.ts'
import { dueOf } from '../ticks/settle.ts'
import { settleEnded } from '../work/end-execution.ts'
import { executionRow, insertExecution, insertExecutions } from '../work/insert-execution.ts'
import { loadLane, settleLane } from '../work/lane.ts'
import { cancelWaiting } from '../work/make-final.ts'
import { holdToStop } from '../work/reserves.ts'

export const executionText = `
  SELECT e.*, j.name AS job_name, ${restText} AS rests_for FROM @job_executions e JOIN @jobs j ON j.id = e.job_id WHERE e.id = ?`

export function* findExecution(id: string): Script<Execution | null> {
  const execution = yield* row(executionText, idOrNone(id))
  return execution === null ? null : executionFrom(execution)
}

export function* readExecution(id: string): Script<Execution> {
  const execution = yield* findExecution(id)
  if (execution === null) {
    throw new EvertickError('execution_not_found', `There is no execution ${id}.`, {
      next: 'List executions with `evertick executions list`; retention removes old ones.',
    })
  }
  return execution
}

export function* triggerJob(
  reference: string,
  trigger: Trigger,
  { now, actor, origin }: ChangeContext,
): Script<Execution> {
  const locked = yield* lockJob(reference)
  if (locked === null) throw jobNotFound(reference)
  nextJobState(locked.name, locked.state, 'trigger')
  const job = yield* revokeAhead(locked, now)
  if (job.version !== locked.version) {
    yield* run('UPDATE @jobs SET next_due_at = ? WHERE id = ?', dueOf(job), job.id)
  }
  yield* placeManual(job, trigger.force, now, {
    id: trigger.id,
    scheduledFor: now,
    input: trigger.input === undefined ? (job.spec.input ?? undefined) : trigger.input,
    metadata: trigger.metadata,
    retryOf: null,
    idempotencyKey: null,
  })
  yield* writeAuditLog({
    at: now,
    actor,
    origin,
    action: 'job.trigger',
    subject: job.name,
    before: null,
    after: { execution: trigger.id },
  })
  return yield* readExecution(trigger.id)
}

interface ManualDraft {
  readonly id: string
  readonly scheduledFor: number
  readonly input: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  readonly retryOf: string | null
  readonly idempotencyKey: string | null
}

function* placeManual(job: Job, force: boolean, now: number, draft: ManualDraft): Script<void> {
  const placement = placeTrigger(yield* loadLane(job), force)
  if (placement === null) {
    throw new EvertickError(
      'job_busy',
      `Job "${job.name}" is still running, and its overlap is ${job.spec.overlap}.`,
      {
        next: 'Wait for it, cancel it, or force the trigger.',
      },
    )
  }
  yield* stepBack(job, placement.stepBack)
  yield* insertExecution(job, {
    ...draft,
    cause: 'manual',
    tickAt: null,
    account: null,
    state: placement.place === 'start' ? 'pending' : 'blocked',
    readyAt: now,
    index: null,
    of: null,
    createdAt: now,
  })
}

export function* backfillJob(
  reference: string,
  backfill: Backfill,
  { now, actor, origin }: ChangeContext,
  context: ScriptContext,
): Script<BackfillResult> {
  const job = yield* lockJob(reference)
  if (job === null) throw jobNotFound(reference)
  nextJobState(job.name, job.state, 'backfill')
  const sequence = nominalSequence(job.name, job.spec)
  if (sequence === null) {
    throw new EvertickError('invalid_schedule', `Job "${job.name}" has no schedule with ticks to backfill.`, {
      next: 'Trigger it instead.',
    })
  }
  const ticks = sequence.count(backfill.from, backfill.to)
  if (ticks > backfill.limit) {
    throw new EvertickError(
      'invalid_option',
      `The backfill would make ${ticks} executions; the limit is ${backfill.limit}.`,
      {
        field: 'to',
        next: 'Backfill a shorter span, or raise the limit.',
      },
    )
  }
  const instants: number[] = []
  let tick = ticks === 0 ? null : sequence.next(backfill.from - 1)
  while (tick !== null && tick < backfill.to) {
    instants.push(tick)
    tick = sequence.next(tick)
  }
  const result = { ticks, first: instants[0] ?? null, last: instants.at(-1) ?? null }
  if (backfill.dryRun) return { ...result, created: 0 }

  const ordered = backfill.order === 'oldest_first' ? instants : instants.toReversed()
  const made = ordered.map((scheduledFor, index) =>
    executionRow(job, {
      id: context.newId(now),
      cause: 'backfill',
      tickAt: null,
      account: null,
      scheduledFor,
      state: job.spec.overlap === 'allow' ? 'pending' : 'blocked',
      readyAt: now,
      index: index + 1,
      of: ordered.length,
      input: job.spec.input ?? undefined,
      metadata: {},
      retryOf: null,
      idempotencyKey: null,
      createdAt: now,
    }),
  )
  yield* insertExecutions(made)
  if (job.spec.overlap !== 'allow') yield* settleLane(job, now)
  const { from, to } = backfill
  yield* writeAuditLog({
    at: now,
    actor,
    origin,
    action: 'job.backfill',
    subject: job.name,
    before: null,
    after: { from, to, ticks },
  })
  return { ...result, created: ordered.length }
}

export function* cancelExecution(
  reference: string,
  { now, actor, origin }: ChangeContext,
): Script<Execution> {
  const { id, cause, jobId } = yield* readExecution(reference)
  yield* holdLanes(cause === 'enqueue' ? [] : [jobId])
  // Read again now that nothing moves in its lane, and nobody claims it, gives it back or ends it.
  yield* holdToStop('id = ?', id)
  const execution = yield* readExecution(id)
  refuseIllegalAction(execution, 'cancel')
  const stopped = yield* cancelWaiting('operator', now, 'id = ?', id)
  if (stopped.length === 0) {
    yield* run(
      `UPDATE @live_executions SET cancel_requested_at = ?, cancel_reason = 'operator'
       WHERE id = ? AND state = 'running' AND cancel_requested_at IS NULL`,
      now,
      id,
    )
  }
  yield* settleEnded(stopped, now)
  yield* writeAuditLog({
    at: now,
    actor,
    origin,
    action: 'execution.cancel',
    subject: id,
    before: { state: execution.state },
    after: null,
  })
  return yield* readExecution(id)
}

/** A final execution stays as it is; its retry is a new one with the same instant and key. */
export function* retryExecution(
  reference: string,
  { id: newId, fromStep }: Retry,
  { now, actor, origin }: ChangeContext,
): Script<Execution> {
  const seen = yield* readExecution(reference)
  const job = yield* lockJob(seen.jobId)
  if (job === null) throw jobNotFound(seen.jobName)
  // Again, now that the job is held: retention may have folded it meanwhile.
  const execution = yield* readExecution(seen.id)
  refuseIllegalAction(execution, 'retry')
  const first = execution.state === 'completed' ? null : yield* firstRetry(execution)
  if (first !== null) return first
  nextJobState(job.name, job.state, 'trigger')
  const { id, scheduledFor, input, metadata, idempotencyKey } = execution
  const kept = { id: newId, scheduledFor, input: input ?? undefined, metadata, retryOf: id, idempotencyKey }
  if (execution.cause === 'enqueue') {
    yield* insertExecution(job, {
      ...kept,
      cause: 'enqueue',
      tickAt: null,
      account: null,
      state: 'pending',
      readyAt: now,
      index: null,
      of: null,
      createdAt: now,
    })
  } else {
    yield* placeManual(job, false, now, kept)
  }
  yield* copySteps(execution, newId, fromStep)
  yield* writeAuditLog({
    at: now,
    actor,
    origin,
    action: 'execution.retry',
    subject: id,
    before: null,
    after: { execution: newId, ...(fromStep === null ? {} : { fromStep }) },
  })
  return yield* readExecution(newId)
}

/** Sent again after a lost reply, a retry is the same one. One that has failed, too, is for whoever asks to retry in its turn. */
function* firstRetry({ id, jobId }: Execution): Script<Execution | null> {
  const first = yield* row(
    `SELECT id FROM @job_executions WHERE job_id = ? AND retry_of = ?
       AND seq > (SELECT seq FROM @job_executions WHERE id = ?) ORDER BY seq LIMIT 1`,
    jobId,
    id,
    id,
  )
  if (first === null) return null
  const retry = yield* readExecution(text(first.id))
  if (retry.state !== 'failed' && retry.state !== 'cancelled') return retry
  throw new EvertickError(
    'invalid_transition',
    `Execution ${id} was retried as ${retry.id}, which is ${retry.state}.`,
    {
      next: `Retry that one: \`evertick executions retry ${retry.id}\`.`,
    },
  )
}
