/** Claimed rows, and their jobs, in the words of the port. */
import type { JobSpec } from '../../../core/job/job.ts'
import type { ClaimedExecution, ClaimRequest } from '../../store.ts'
import { causeOf, json, jsonObject, keyOf, number, optionalNumber, specFrom, text } from '../runtime/rows.ts'
import type { Row } from '../runtime/script.ts'

export interface ClaimedJob {
  readonly jobName: string
  readonly spec: JobSpec
  readonly nextTickAt: number | null
}

/** Expects a job's name, spec and next_due_at. */
export function claimedJobFrom(job: Row): ClaimedJob {
  const spec = specFrom(job.spec)
  const nextTickAt = spec.overlap === 'allow' ? null : optionalNumber(job.next_due_at)
  return { jobName: text(job.name), spec, nextTickAt }
}

/** Where a claim puts a row: into a slot, or into the reserve. */
export interface ClaimedTo {
  readonly started: boolean
  readonly place: number | null
  readonly leasedUntil: number
}

/** Of the row at an index, from 0, of those that a request has claimed. */
export function claimedTo({ start, reserveFrom, now, leaseMs }: ClaimRequest, index: number): ClaimedTo {
  const started = index < start
  const place = started || reserveFrom === undefined ? null : reserveFrom + index - start
  return { started, place, leasedUntil: now + leaseMs }
}

/** Expects the row as it was before the claim. */
export function claimedFrom(execution: Row, job: ClaimedJob, to: ClaimedTo): ClaimedExecution {
  const cause = causeOf(execution.cause)
  const scheduledFor = number(execution.scheduled_for)
  return {
    id: text(execution.id),
    fence: number(execution.fence) + 1,
    jobId: text(execution.job_id),
    jobName: job.jobName,
    spec: job.spec,
    nextTickAt: job.nextTickAt,
    cause,
    scheduledFor,
    tickAt: optionalNumber(execution.tick_at),
    readyAt: number(execution.ready_at),
    startBy: optionalNumber(execution.start_by),
    attempt: number(execution.attempt) + (to.started ? 1 : 0),
    maxAttempts: number(execution.max_attempts),
    started: to.started,
    place: to.place,
    caughtUpIndex: optionalNumber(execution.caught_up_index),
    caughtUpOf: optionalNumber(execution.caught_up_of),
    input: json(execution.input),
    metadata: jsonObject(execution.metadata),
    idempotencyKey: keyOf(execution, cause, scheduledFor),
    leasedUntil: to.leasedUntil,
  }
}
