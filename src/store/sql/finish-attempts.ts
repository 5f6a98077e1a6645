/**
 * Ends attempts. Every write names (id, fence) in its WHERE: a holder that was superseded changes nothing, and the
 * refusal is kept in the history.
 */
import type { Ending } from '../../core/attempt/outcome.ts'
import type { AttemptRow, Claim, FinishedAttempt, FinishRequest, FinishResult } from '../store.ts'
import { afterEnded, type Ended, endedFrom, giveBack } from './end-execution.ts'
import { json, number, optionalNumber, optionalText, text } from './rows.ts'
import { type Param, type Row, row, rows, run, type Script } from './script.ts'

/** The common case first: completion is one indexed update and nothing else. */
const completeText = `
  UPDATE @job_executions SET state = 'completed', result = ?, error = NULL, finished_at = ?, leased_until = NULL
  WHERE id = ? AND fence = ? AND state = 'running' AND started_at IS NOT NULL
`

const endText = `
  UPDATE @job_executions SET state = ?, error = ?, cancel_reason = COALESCE(cancel_reason, ?), finished_at = ?, leased_until = NULL
  WHERE id = ? AND fence = ? AND state = 'running'
  RETURNING job_id, cause, tick_at, started_at, state`

/**
 * Waits for another try, unless somebody asked it to stop: then there is none. A snooze gives its attempt back, so the
 * start deadline goes, which this execution has met.
 */
const waitText = `
  UPDATE @job_executions SET state = CASE WHEN cancel_requested_at IS NULL THEN ? ELSE 'cancelled' END,
    finished_at = CASE WHEN cancel_requested_at IS NULL THEN NULL ELSE ? END,
    error = ?, ready_at = ?, attempt = attempt - ?, start_by = NULL, leased_until = NULL
  WHERE id = ? AND fence = ? AND state = 'running' AND started_at IS NOT NULL
  RETURNING job_id, cause, tick_at, started_at, state`

const startText = `
  UPDATE @job_executions SET attempt = attempt + 1, started_at = ?, start_by = NULL
  WHERE id = ? AND fence = ? AND state = 'running' AND started_at IS NULL AND cancel_requested_at IS NULL
    AND (start_by IS NULL OR start_by >= ?)`

export function* finishAttempts(request: FinishRequest): Script<FinishResult> {
  const refused: string[] = []
  const ended: Ended[] = []
  for (const attempt of request.attempts) {
    const written = yield* writeEnding(attempt, request.nodeId)
    if (written === null) {
      refused.push(attempt.id)
      yield* keepAttempt(attempt, request.nodeId, 'refused', null)
    } else if (text(written.cause) !== 'enqueue') {
      ended.push(endedFrom(written))
    }
  }
  const releases = ended.length === 0 ? [] : yield* afterEnded(ended, request.now)
  return { refused, lanes: ended.length, releases }
}

export function* startAttempts(claims: readonly Claim[], now: number): Script<string[]> {
  const lost: string[] = []
  const ended: Ended[] = []
  for (const claim of claims) {
    if ((yield* run(startText, now, claim.id, claim.fence, now)) === 1) continue
    lost.push(claim.id)
    // Somebody asked it to stop before it began: it ends here, and its lane goes on. What has waited in reserve past its
    // deadline goes back, and the rescuer cancels it.
    const given = yield* giveBack(claim, now)
    if (given !== null && text(given.cause) !== 'enqueue') ended.push(endedFrom(given))
  }
  if (ended.length > 0) yield* afterEnded(ended, now)
  return lost
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
    const values = [written(ending.result), finishedAt, id, fence]
    const { claimed } = attempt
    // Reading the row back costs more than the update itself.
    if (claimed !== undefined) {
      if ((yield* run(completeText, ...values)) === 0) return null
      return { job_id: claimed.jobId, cause: claimed.cause, tick_at: claimed.tickAt, state: 'completed' }
    }
    return yield* row(`${completeText} RETURNING job_id, cause, tick_at, state`, ...values)
  }
  const error = written(ending.error)
  const ended =
    'readyAt' in ending
      ? yield* row(
          waitText,
          ending.state,
          finishedAt,
          error,
          ending.readyAt,
          ending.countsAttempt ? 0 : 1,
          id,
          fence,
        )
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
    const state = text(ended.state) as Ending['state']
    const snoozed = 'countsAttempt' in ending && !ending.countsAttempt && state !== 'cancelled'
    const outcome = snoozed ? 'snoozed' : outcomes[state]
    yield* keepAttempt(attempt, nodeId, outcome, optionalNumber(ended.started_at))
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
    error: json(attempt.error) as AttemptRow['error'],
  }))
}
