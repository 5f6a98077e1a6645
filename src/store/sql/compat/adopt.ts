/**
 * Rows of another system's tables, as ours. What was adopted once is known by a mark that never expires, and that outlives
 * the execution: an import that was killed, or is made again after a year, makes no second one.
 */
import { isFinal } from '../../../core/execution/execution-state.ts'
import { handlerKey } from '../../../core/job/handler.ts'
import type { AdoptedExecution, AdoptedTerm, AdoptRequest } from '../../store.ts'
import { timestamp } from '../cluster/leadership.ts'
import { jobNotFound } from '../jobs/create-job.ts'
import { lockJob } from '../jobs/lock-job.ts'
import { number, text } from '../runtime/rows.ts'
import { insertAll, rows, type Script } from '../runtime/script.ts'
import { keepFinished } from '../work/make-final.ts'

/** No instant comes after it: such marks are never purged. */
const forever = Number.MAX_SAFE_INTEGER

const markColumns = {
  mark: 'text',
  claimed_by: 'number',
  enqueued_at: 'number',
  expires_at: 'number',
} as const

const columns = {
  id: 'uuid',
  job_id: 'uuid',
  cause: 'text',
  scheduled_for: 'number',
  state: 'text',
  ready_at: 'number',
  queue: 'text',
  priority: 'number',
  handler: 'text',
  attempt: 'number',
  max_attempts: 'number',
  input: 'text',
  result: 'text',
  error: 'text',
  cancel_reason: 'text',
  metadata: 'text',
  unique_key: 'text',
  fence: 'number',
  leased_by: 'text',
  created_at: 'number',
  started_at: 'number',
  finished_at: 'number',
} as const

export function* adoptExecutions({ job: name, executions, now }: AdoptRequest): Script<readonly string[]> {
  const job = yield* lockJob(name, 'FOR SHARE')
  if (job === null) throw jobNotFound(name)
  const before = new Set(yield* knownMarks(executions.map(({ mark }) => mark)))
  const fresh = executions.filter(({ mark }) => !before.has(mark))
  if (fresh.length === 0) return []
  // Of two who import at once, the second is refused by the key, looks again, and finds the marks of the first.
  yield* insertAll(
    'enqueue_marks',
    markColumns,
    fresh.map(({ mark }) => ({ mark, claimed_by: 0, enqueued_at: now, expires_at: forever })),
  )
  const free = yield* freeKeys(job.id, fresh)
  yield* insertAll(
    'live_executions',
    columns,
    fresh.map((execution) => ({
      id: execution.id,
      job_id: job.id,
      cause: 'enqueue',
      scheduled_for: execution.createdAt,
      state: execution.state,
      ready_at: execution.createdAt,
      queue: job.spec.queue,
      priority: job.spec.priority,
      handler: handlerKey(job.spec.handler),
      attempt: execution.attempt,
      max_attempts: job.spec.retry.attempts,
      input: written(execution.input),
      result: written(execution.result),
      error: written(execution.error ?? undefined),
      cancel_reason: execution.state === 'cancelled' ? 'operator' : null,
      metadata: JSON.stringify(execution.metadata),
      unique_key: free.get(execution.uniqueKey ?? '') === execution ? execution.uniqueKey : null,
      fence: execution.attempt,
      leased_by: execution.leasedBy,
      created_at: execution.createdAt,
      started_at: execution.startedAt,
      finished_at: execution.finishedAt,
    })),
  )
  yield* keepFinished(fresh.filter(({ state }) => isFinal(state)).map(({ id }) => id))
  return fresh.map(({ mark }) => mark)
}

export function* knownMarks(marks: readonly string[]): Script<readonly string[]> {
  const known = yield* rows('SELECT mark FROM @enqueue_marks WHERE mark IN ?*', marks)
  return known.map(({ mark }) => text(mark))
}

/** Of each key that nobody unfinished has, the first that wants it. */
function* freeKeys(
  jobId: string,
  fresh: readonly AdoptedExecution[],
): Script<ReadonlyMap<string, AdoptedExecution>> {
  const wanted = new Map<string, AdoptedExecution>()
  for (const execution of fresh) {
    const { uniqueKey, state } = execution
    if (uniqueKey !== null && !isFinal(state) && !wanted.has(uniqueKey)) wanted.set(uniqueKey, execution)
  }
  if (wanted.size === 0) return wanted
  const taken = yield* rows(
    `SELECT unique_key FROM @live_executions
     WHERE job_id = ? AND unique_key IN ?* AND state NOT IN ('completed', 'failed', 'cancelled')`,
    jobId,
    [...wanted.keys()],
  )
  for (const { unique_key } of taken) wanted.delete(text(unique_key))
  return wanted
}

function written(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

const termColumns = {
  id: 'number',
  leader_instance: 'text',
  start_time: 'timestamp',
  stop_time: 'timestamp',
  last_heartbeat: 'timestamp',
  handled_missed_tasks: 'flag',
  created_at: 'timestamp',
  updated_at: 'timestamp',
} as const

/** No lock comes with them: the row `leader` of the locks says who leads, and never the log. */
export function* adoptTerms(terms: readonly AdoptedTerm[]): Script<number> {
  const before = new Set(yield* knownTerms(terms.map(({ id }) => id)))
  const fresh = terms.filter(({ id }) => !before.has(id))
  if (fresh.length === 0) return 0
  yield {
    into: 'scheduler_leader_log',
    columns: termColumns,
    rows: fresh.map((term) => ({
      ...term,
      start_time: timestamp(term.start_time),
      stop_time: term.stop_time === null ? null : timestamp(term.stop_time),
      last_heartbeat: term.last_heartbeat === null ? null : timestamp(term.last_heartbeat),
      handled_missed_tasks: term.handled_missed_tasks ? 1 : 0,
      created_at: timestamp(term.created_at),
      updated_at: timestamp(term.updated_at),
    })),
    // Their ids are their own.
    numbered: true,
  }
  return fresh.length
}

export function* knownTerms(ids: readonly number[]): Script<readonly number[]> {
  const known = yield* rows('SELECT id FROM @scheduler_leader_log WHERE id IN ?*', ids)
  return known.map(({ id }) => number(id))
}
