/** The ends of attempts, by hand for this engine. */
import type { Completion, Crash } from '../sql/hot-scripts.ts'
import { prove } from '../sql/jobs/unproven.ts'
import { change, type Script } from '../sql/runtime/script.ts'
import { keepFinished } from '../sql/work/make-final.ts'

/** One indexed update and nothing else: reading the row back would cost more than the update itself. */
const completeText = `
  UPDATE @live_executions SET state = 'completed', result = ?, error = NULL, finished_at = ?, leased_until = NULL,
    attempt = attempt + (started_at IS NULL), started_at = COALESCE(started_at, ?)
  WHERE id = ? AND fence = ? AND state = 'running' AND (started_at IS NOT NULL OR ? IS NOT NULL)`

export function* completeAttempts(attempts: readonly Completion[]): Script<ReadonlySet<string>> {
  const completed = new Set<string>()
  for (const { id, fence, result, finishedAt, startedAt } of attempts) {
    const written: number = yield change(completeText, result, finishedAt, startedAt, id, fence, startedAt)
    if (written === 1) completed.add(id)
  }
  yield* prove(attempts.filter(({ id }) => completed.has(id)))
  yield* keepFinished([...completed])
  return completed
}

const crashText = `
  UPDATE @live_executions SET state = ?, error = ?, ready_at = ?, finished_at = ?, leased_until = NULL,
    attempt = ?, started_at = ?
  WHERE id = ? AND fence = ? AND state = 'running'`

export function* crashAttempts(attempts: readonly Crash[]): Script<ReadonlySet<string>> {
  const crashed = new Set<string>()
  for (const { id, fence, state, error, readyAt, finishedAt, attempt, startedAt } of attempts) {
    const written: number = yield change(
      crashText,
      state,
      error,
      readyAt,
      finishedAt,
      attempt,
      startedAt,
      id,
      fence,
    )
    if (written === 1) crashed.add(id)
  }
  return crashed
}
