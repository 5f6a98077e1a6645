/**
 * Ends attempts. Every write names (id, fence) in its WHERE: a holder that was superseded changes nothing, and the
 * refusal is kept in the history.
 */
import type { Ending } from '../../core/attempt/outcome.ts'
import type { AttemptRow, FinishedAttempt, FinishRequest, FinishResult } from '../store.ts'
import { afterEnded, type Ended } from './end-execution.ts'
import { number, optionalNumber, optionalText, text } from './rows.ts'
import { type Param, type Row, row, rows, run, type Script } from './script.ts'

/** The common case first: completion is one indexed update and nothing else. */
const completeText = `
  UPDATE @job_executions SET state = 'completed', result = ?, error = NULL, finished_at = ?, leased_until = NULL
  WHERE id = ? AND fence = ? AND state = 'running' AND attempt > 0
  RETURNING job_id, cause, tick_at`

const endText = `
  UPDATE @job_executions SET state = ?, error = ?, cancel_reason = ?, finished_at = ?, leased_until = NULL
  WHERE id = ? AND fence = ? AND state = 'running'
  RETURNING job_id, cause, tick_at, attempt, started_at`

/** Waits for another try. A snooze gives its attempt back. */
const waitText = `
  UPDATE @job_executions SET state = ?, error = ?, ready_at = ?, attempt = attempt - ?, leased_until = NULL,
    cancel_requested_at = NULL, cancel_reason = NULL
  WHERE id = ? AND fence = ? AND state = 'running'
  RETURNING job_id, cause, tick_at, attempt, started_at`

const startText = `
  UPDATE @job_executions SET attempt = attempt + 1, started_at = ?
  WHERE id = ? AND fence = ? AND state = 'running' AND started_at IS NULL`

export function* finishAttempts(request: FinishRequest): Script<FinishResult> {
  const refused: string[] = []
  const lost: string[] = []
  const ended: Ended[] = []
  for (const attempt of request.attempts) {
    const written = yield* writeEnding(attempt, request.nodeId)
    if (written === null) {
      refused.push(attempt.id)
      yield* keepAttempt(attempt, request.nodeId, 'refused', null)
    } else if (text(written.cause) !== 'enqueue') {
      const final = attempt.ending.state !== 'retrying' && attempt.ending.state !== 'blocked'
      ended.push({ jobId: text(written.job_id), tick: final && written.tick_at !== null })
    }
  }
  for (const start of request.starts) {
    if ((yield* run(startText, request.now, start.id, start.fence)) === 0) lost.push(start.id)
  }
  const releases = ended.length === 0 ? [] : yield* afterEnded(ended, request.now)
  return { refused, lost, releases }
}

const outcomes: Readonly<Record<Ending['state'], AttemptRow['outcome']>> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  retrying: 'error',
  blocked: 'error',
  pending: 'error',
}

/** The row as it was ended, or null where the fence refused. */
export function* writeEnding(attempt: FinishedAttempt, nodeId: string): Script<Row | null> {
  const { id, fence, ending, finishedAt } = attempt
  if (ending.state === 'completed') {
    return yield* row(completeText, written(ending.result), finishedAt, id, fence)
  }
  const error = written(ending.error)
  const ended =
    'readyAt' in ending
      ? yield* row(waitText, ending.state, error, ending.readyAt, ending.countsAttempt ? 0 : 1, id, fence)
      : yield* row(
          endText,
          ending.state,
          error,
          'reason' in ending ? ending.reason : null,
          finishedAt,
          id,
          fence,
        )
  if (ended !== null) {
    const snoozed = 'countsAttempt' in ending && !ending.countsAttempt
    yield* keepAttempt(
      attempt,
      nodeId,
      snoozed ? 'snoozed' : outcomes[ending.state],
      optionalNumber(ended.started_at),
    )
  }
  return ended
}

function written(value: unknown): Param {
  return value === undefined || value === null ? null : JSON.stringify(value)
}

function* keepAttempt(
  attempt: FinishedAttempt,
  nodeId: string,
  outcome: AttemptRow['outcome'],
  startedAt: number | null,
): Script<void> {
  const error = 'error' in attempt.ending ? written(attempt.ending.error) : null
  yield* insertAttempt({ ...attempt, nodeId, outcome, startedAt, error })
}

export function* insertAttempt(attempt: {
  readonly id: string
  readonly attempt: number
  readonly fence: number
  readonly nodeId: string | null
  readonly startedAt: number | null
  readonly finishedAt: number
  readonly outcome: AttemptRow['outcome']
  readonly error: Param
}): Script<void> {
  yield* run(
    `INSERT INTO @attempts (execution_id, attempt, fence, node_id, started_at, finished_at, outcome, error)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    attempt.id,
    attempt.attempt,
    attempt.fence,
    attempt.nodeId,
    attempt.startedAt,
    attempt.finishedAt,
    attempt.outcome,
    attempt.error,
  )
}

export function* listAttempts(executionId: string): Script<AttemptRow[]> {
  const found = yield* rows('SELECT * FROM @attempts WHERE execution_id = ? ORDER BY seq', executionId)
  return found.map((attempt) => ({
    executionId,
    attempt: number(attempt.attempt),
    fence: number(attempt.fence),
    nodeId: optionalText(attempt.node_id),
    startedAt: optionalNumber(attempt.started_at),
    finishedAt: number(attempt.finished_at),
    outcome: text(attempt.outcome) as AttemptRow['outcome'],
    error: attempt.error === null ? null : JSON.parse(text(attempt.error)),
  }))
}
