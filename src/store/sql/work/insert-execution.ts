/** The rows that make executions of ticks, triggers, backfills and retries. (Enqueue has its own, hot statement.) */
import type { Cause } from '../../../core/execution/execution.ts'
import { handlerKey } from '../../../core/job/handler.ts'
import type { Job } from '../../../core/job/job.ts'
import { startBy } from '../jobs/job-columns.ts'
import { insertAll, type Row, type RowOf, type Script } from '../runtime/script.ts'

export interface ExecutionDraft {
  readonly id: string
  readonly cause: Cause
  readonly tickAt: number | null
  readonly account: 'fired' | 'caught_up' | null
  readonly scheduledFor: number
  readonly state: 'pending' | 'blocked'
  readonly readyAt: number
  readonly index: number | null
  readonly of: number | null
  readonly input: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  readonly retryOf: string | null
  readonly idempotencyKey: string | null
  readonly createdAt: number
}

/** Catch-ups and backfills run after what is due now. */
const priorityShift: Readonly<Partial<Record<Cause, number>>> = { catch_up: -10, backfill: -20 }

const columns = {
  id: 'uuid',
  job_id: 'uuid',
  cause: 'text',
  tick_at: 'number',
  account: 'text',
  scheduled_for: 'number',
  state: 'text',
  ready_at: 'number',
  start_by: 'number',
  queue: 'text',
  priority: 'number',
  handler: 'text',
  max_attempts: 'number',
  caught_up_index: 'number',
  caught_up_of: 'number',
  input: 'text',
  metadata: 'text',
  retry_of: 'uuid',
  idempotency_key: 'text',
  created_at: 'number',
} as const

export type NewExecutionRow = RowOf<typeof columns>

export function* insertExecutions(rows: readonly NewExecutionRow[]): Script<void> {
  yield* insertAll('live_executions', columns, rows)
  const ticks = rows.flatMap(({ id, job_id, tick_at }) =>
    id === null || job_id === null || tick_at === null ? [] : [{ id, jobId: job_id, tickAt: tick_at }],
  )
  const [second] = yield* secondsOf(ticks)
  if (second !== undefined) throw new Error(`Execution ${second.id} has accounted for its tick already.`)
}

interface Tick {
  readonly id: string
  readonly jobId: string
  readonly tickAt: number
}

const ofOneJobText = `
  SELECT id FROM @finished_executions WHERE job_id = ? AND tick_at >= ? AND tick_at <= ? LIMIT 1`
const ofManyText = `
  SELECT f.id FROM @live_executions e
  JOIN @finished_executions f ON f.job_id = e.job_id AND f.tick_at = e.tick_at WHERE e.id IN ?* LIMIT 1`

/**
 * A tick has one execution: among the unfinished by a unique key, and here among those that have finished. New ticks of a
 * job lie beyond all that it has accounted for, so one look is enough for any number of them.
 */
function* secondsOf(ticks: readonly Tick[]): Script<Row[]> {
  const [first] = ticks
  if (first === undefined) return []
  const instants = ticks.map(({ tickAt }) => tickAt)
  const ofOneJob = ticks.every(({ jobId }) => jobId === first.jobId)
  const params = ofOneJob
    ? [first.jobId, least(instants), -least(instants.map((tickAt) => -tickAt))]
    : [ticks.map(({ id }) => id)]
  return yield { text: ofOneJob ? ofOneJobText : ofManyText, params, wants: 'rows', apart: true }
}

/** Of any number: as arguments of `Math.min` they would be too many. */
function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
}

export function* insertExecution(job: Pick<Job, 'id' | 'spec'>, draft: ExecutionDraft): Script<void> {
  yield* insertExecutions([executionRow(job, draft)])
}

export function executionRow({ id, spec }: Pick<Job, 'id' | 'spec'>, draft: ExecutionDraft): NewExecutionRow {
  return {
    id: draft.id,
    job_id: id,
    cause: draft.cause,
    tick_at: draft.tickAt,
    account: draft.account,
    scheduled_for: draft.scheduledFor,
    state: draft.state,
    ready_at: draft.readyAt,
    start_by: startBy(draft.readyAt, spec),
    queue: spec.queue,
    priority: spec.priority + (priorityShift[draft.cause] ?? 0),
    handler: handlerKey(spec.handler),
    max_attempts: spec.retry.attempts,
    caught_up_index: draft.index,
    caught_up_of: draft.of,
    input: draft.input === undefined ? null : JSON.stringify(draft.input),
    metadata: Object.keys(draft.metadata).length === 0 ? null : JSON.stringify(draft.metadata),
    retry_of: draft.retryOf,
    idempotency_key: draft.idempotencyKey,
    created_at: draft.createdAt,
  }
}
