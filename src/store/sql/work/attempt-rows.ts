/** The history of attempts: a row for each that did not simply complete. */
import { idOrNone } from '../../../core/id.ts'
import type { AttemptRow, Claim } from '../../store.ts'
import { attemptOutcomeOf, errorFrom, number, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import { insertAll, rows, type Script } from '../runtime/script.ts'

export interface EndedAttempt extends Claim {
  readonly attempt: number
  readonly nodeId: string | null
  readonly startedAt: number | null
  readonly finishedAt: number
  readonly outcome: AttemptRow['outcome']
  /** JSON. */
  readonly error: string | null
}

const attemptColumns = {
  execution_id: 'uuid',
  attempt: 'number',
  fence: 'number',
  node_id: 'text',
  started_at: 'number',
  finished_at: 'number',
  outcome: 'text',
  error: 'text',
} as const

export function* insertAttempts(attempts: readonly EndedAttempt[]): Script<void> {
  yield* insertAll(
    'attempts',
    attemptColumns,
    attempts.map((ended) => ({
      execution_id: ended.id,
      attempt: ended.attempt,
      fence: ended.fence,
      node_id: ended.nodeId,
      started_at: ended.startedAt,
      finished_at: ended.finishedAt,
      outcome: ended.outcome,
      error: ended.error,
    })),
  )
}

export function* listAttempts(executionIds: readonly string[]): Script<AttemptRow[]> {
  const ids = executionIds.map(idOrNone)
  const attempts = yield* rows('SELECT * FROM @attempts WHERE execution_id IN ?* ORDER BY seq', ids)
  return attempts.map((attempt) => ({
    executionId: text(attempt.execution_id),
    attempt: number(attempt.attempt),
    fence: number(attempt.fence),
    nodeId: optionalText(attempt.node_id),
    startedAt: optionalNumber(attempt.started_at),
    finishedAt: number(attempt.finished_at),
    outcome: attemptOutcomeOf(attempt.outcome),
    error: errorFrom(attempt.error),
  }))
}
