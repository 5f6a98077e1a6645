/** Rows of the database, read into the words of the domain. */
import { accessKinds, accessRoles } from '../../../core/access/access-role.ts'
import { attemptOutcomes } from '../../../core/attempt/outcome.ts'
import {
  type Cause,
  cancelReasons,
  causes,
  type Execution,
  type ExecutionError,
  idempotencyKey,
} from '../../../core/execution/execution.ts'
import { type ExecutionState, executionStates, finalStates } from '../../../core/execution/execution-state.ts'
import { stepKinds, stepOutcomes } from '../../../core/execution/step.ts'
import { wholeHandler } from '../../../core/job/handler.ts'
import { healthStates } from '../../../core/job/health.ts'
import type { Job, JobSpec } from '../../../core/job/job.ts'
import { jobStates } from '../../../core/job/job-state.ts'
import { jobStatuses } from '../../../core/job/job-status.ts'
import { defaultOptions } from '../../../core/job/options-codec.ts'
import { keysOf } from '../../../core/table-keys.ts'
import { accounts, skipReasons } from '../../../core/tick/account.ts'
import type { Row } from './script.ts'

type Value = string | number | null | undefined

/** Of a column that is never null. One that the statement did not read is a bug. */
export function text(value: Value): string {
  if (value === undefined) throw new TypeError('The row has no such column.')
  return String(value)
}

/**
 * The reader of a column that holds one word of a list. An unknown word fails instead of passing for a known one, so a new
 * word comes with a migration: nodes that do not know it stop then.
 */
export function oneOf<Word extends string>(what: string, words: readonly Word[]): (value: Value) => Word {
  const known = new Map<string, Word>(words.map((word) => [word, word]))
  return (value) => {
    const word = known.get(text(value))
    if (word === undefined) throw new TypeError(`"${String(value)}" is not a known ${what}.`)
    return word
  }
}

export const jobStateOf = oneOf('state of a job', jobStates)
export const jobStatusOf = oneOf('status of a job', jobStatuses)
export const healthStateOf = oneOf('health of a job', healthStates)
export const executionStateOf = oneOf('state of an execution', executionStates)
export const activeStateOf = oneOf('state of an active execution', ['pending', 'running', 'retrying'])
export const finalStateOf = oneOf('final state of an execution', finalStates)
export const causeOf = oneOf('cause of an execution', causes)
export const accountOf = oneOf('account of a tick', ['fired', 'caught_up'])
export const rangeAccountOf = oneOf('account of a range', accounts)
export const rangeReasonOf = oneOf('reason of a range', [...skipReasons, 'latest'])
export const cancelReasonOf = oneOf('reason of a cancel', keysOf(cancelReasons))
export const attemptOutcomeOf = oneOf('outcome of an attempt', attemptOutcomes)
export const stepKindOf = oneOf('kind of a step', stepKinds)
export const stepOutcomeOf = oneOf('outcome of a step', stepOutcomes)
export const logLevelOf = oneOf('log level', ['debug', 'info', 'warn', 'error'])
export const accessKindOf = oneOf('kind of access', accessKinds)
export const accessRoleOf = oneOf('role', accessRoles)

export function number(value: Value): number {
  return Number(value)
}

export function optionalText(value: Value): string | null {
  return value === null || value === undefined ? null : String(value)
}

export function optionalNumber(value: Value): number | null {
  return value === null || value === undefined ? null : Number(value)
}

export function json(value: Value): unknown {
  return value === null || value === undefined ? null : JSON.parse(String(value))
}

export function jsonObject(value: Value): Record<string, unknown> {
  return (json(value) ?? {}) as Record<string, unknown>
}

export function errorFrom(value: Value): ExecutionError | null {
  return json(value) as ExecutionError | null
}

export function idsOf(rows: readonly Row[]): ReadonlySet<string> {
  return new Set(rows.map(({ id }) => text(id)))
}

const specs = new Map<string, JobSpec>()
const mostSpecs = 10_000
/** Longer ones have an input that fills them: ten thousand of those would be gigabytes. */
const longestKept = 16_384

/** Specs are read far more often than they change, and parsing one costs more than planning its tick. */
export function specFrom(value: Value): JobSpec {
  const written = text(value)
  const known = specs.get(written)
  if (known !== undefined) return known
  const stored = JSON.parse(written) as JobSpec
  // An option that is younger than the spec has its default; what is there keeps its place, or it would be written anew.
  const spec: JobSpec = { ...stored, ...defaultOptions, ...stored, handler: wholeHandler(stored.handler) }
  if (written.length > longestKept) return spec
  if (specs.size >= mostSpecs) specs.clear()
  specs.set(written, spec)
  return spec
}

export function jobFrom(row: Row): Job {
  const pausedAt = optionalNumber(row.paused_at)
  return {
    id: text(row.id),
    name: text(row.name),
    spec: specFrom(row.spec),
    state: jobStateOf(row.state),
    version: number(row.version),
    revision: number(row.revision),
    revisionFrom: number(row.revision_from),
    accountedUntil: number(row.accounted_until),
    ledgerFrom: number(row.ledger_from),
    tzVersion: text(row.tz_version),
    nextDueAt: optionalNumber(row.next_due_at),
    openTickAt: optionalNumber(row.open_tick_at),
    runs: number(row.runs),
    chainYields: number(row.chain_yields),
    pause:
      pausedAt === null
        ? null
        : {
            at: pausedAt,
            until: optionalNumber(row.paused_until),
            reason: optionalText(row.paused_reason),
            by: text(row.paused_by),
          },
    managedBy: text(row.managed_by),
    managedHash: optionalText(row.managed_hash),
    createdAt: number(row.created_at),
    updatedAt: number(row.updated_at),
    deletedAt: optionalNumber(row.deleted_at),
  }
}

/** Expects the execution's columns and its job's name as `job_name`; `rests_for` where it is known. */
export function executionFrom(row: Row): Execution {
  const cause = causeOf(row.cause)
  const scheduledFor = number(row.scheduled_for)
  return {
    id: text(row.id),
    jobId: text(row.job_id),
    jobName: text(row.job_name),
    cause,
    tickAt: optionalNumber(row.tick_at),
    account: row.account === null ? null : accountOf(row.account),
    scheduledFor,
    state: shownState(row),
    readyAt: number(row.ready_at),
    startBy: optionalNumber(row.start_by),
    queue: text(row.queue),
    priority: number(row.priority),
    attempt: number(row.attempt),
    maxAttempts: number(row.max_attempts),
    caughtUpIndex: optionalNumber(row.caught_up_index),
    caughtUpOf: optionalNumber(row.caught_up_of),
    input: json(row.input),
    result: json(row.result),
    error: errorFrom(row.error),
    cancelReason: optionalText(row.cancel_reason),
    cancelRequestedAt: optionalNumber(row.cancel_requested_at),
    progress: optionalNumber(row.progress),
    progressNote: optionalText(row.progress_note),
    metadata: jsonObject(row.metadata),
    uniqueKey: optionalText(row.unique_key),
    retryOf: optionalText(row.retry_of),
    idempotencyKey: keyOf(row, cause, scheduledFor),
    fence: number(row.fence),
    leasedBy: optionalText(row.leased_by),
    leasedUntil: optionalNumber(row.leased_until),
    createdAt: number(row.created_at),
    startedAt: optionalNumber(row.started_at),
    finishedAt: optionalNumber(row.finished_at),
  }
}

/** In the database what rests is `retrying`: it comes back by the same claim. In its chain it stays `blocked`. */
export function shownState({ state, rests_for }: Row): ExecutionState {
  if (state !== 'retrying' || rests_for === null || rests_for === undefined) return executionStateOf(state)
  return rests_for === 'wait' ? 'waiting' : 'sleeping'
}

/** Only a retry stores its key: it keeps that of the execution it retries. */
export function keyOf(row: Row, cause: Cause, scheduledFor: number): string {
  return (
    optionalText(row.idempotency_key) ?? idempotencyKey(cause, text(row.job_id), scheduledFor, text(row.id))
  )
}
