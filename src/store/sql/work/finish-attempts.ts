/**
 * Ends attempts. Every write names (id, fence) in its WHERE: a holder that was superseded changes nothing, and the
 * refusal is kept in the history.
 */

import type { Ending } from '../../../core/attempt/outcome.ts'
import { keysOf } from '../../../core/table-keys.ts'
import type {
  Aftermath,
  AttemptRow,
  Claim,
  FinishedAttempt,
  FinishRequest,
  FinishResult,
  Heard,
} from '../../store.ts'
import type { Completion, HotScripts } from '../hot-scripts.ts'
import { holdLanes } from '../jobs/lock-job.ts'
import { heardNow } from '../notices/audience.ts'
import { causeOf, oneOf, optionalNumber, text } from '../runtime/rows.ts'
import { rows, run, type Script } from '../runtime/script.ts'
import { type EndedAttempt, insertAttempts } from './attempt-rows.ts'
import { afterWrite, giveBack, settleEnded, type Written } from './end-execution.ts'
import type { Ended } from './make-final.ts'
import { holdUsed, insertUsages } from './usages.ts'

/** The attempt before the start: on MySQL, what stands further right sees what was set before it. */
const endText = `
  UPDATE @live_executions SET state = ?, error = ?, cancel_reason = COALESCE(cancel_reason, ?), finished_at = ?, leased_until = NULL,
    attempt = attempt + CASE WHEN started_at IS NULL AND ?::bigint IS NOT NULL THEN 1 ELSE 0 END,
    started_at = COALESCE(started_at, ?::bigint)
  WHERE id = ? AND fence = ? AND state = 'running'`

/**
 * Waits for another try, unless somebody asked it to stop: then there is none. A snooze or a rest gives its attempt back, so the
 * start deadline goes, which this execution has met.
 */
const waitText = `
  UPDATE @live_executions SET state = CASE WHEN cancel_requested_at IS NULL THEN ? ELSE 'cancelled' END,
    finished_at = CASE WHEN cancel_requested_at IS NOT NULL THEN ?::bigint END,
    error = ?, ready_at = ?, attempt = attempt + CASE WHEN started_at IS NULL THEN 1 ELSE 0 END - ?,
    started_at = COALESCE(started_at, ?::bigint), start_by = NULL, leased_until = NULL
  WHERE id = ? AND fence = ? AND state = 'running' AND (started_at IS NOT NULL OR ?::bigint IS NOT NULL)`

export function* finishAttempts(
  request: FinishRequest,
  hot: Pick<HotScripts, 'completeAttempts'>,
): Script<FinishResult> {
  const { attempts, nodeId, now } = request
  const heard = yield* listeners(request.heard)
  const claimedOf = yield* readClaimed(attempts)
  // What was enqueued is in no lane.
  yield* holdLanes(lanesOf(attempts, claimedOf))
  yield* holdUsed(attempts)
  const refused: FinishedAttempt[] = []
  const ended: Ended[] = []
  // Before the completions, which are a transaction of their own where nothing else is written.
  for (const attempt of attempts) {
    const { ending } = attempt
    if (ending.state === 'completed') continue
    const written = yield* writeEnding(attempt, ending, nodeId)
    if (written === null) refused.push(attempt)
    else ended.push(written)
  }
  const completions: Completion[] = []
  for (const attempt of attempts) {
    const { ending } = attempt
    if (ending.state === 'completed')
      completions.push(completionOf(attempt, ending.result, claimedOf(attempt)))
  }
  const completed = completions.length === 0 ? new Set() : yield* hot.completeAttempts(completions)
  // What was enqueued and has succeeded leaves nothing to settle, unless somebody hears of it or it cancels a failure out.
  const isSettled = heard.length === 0 && ended.length === 0
  for (const attempt of attempts) {
    if (attempt.ending.state !== 'completed') continue
    const from = claimedOf(attempt)
    if (!completed.has(attempt.id)) refused.push(attempt)
    else if (from !== undefined && !(isSettled && from.cause === 'enqueue'))
      ended.push(completedFrom(from, attempt))
  }
  yield* insertAttempts(refused.map((attempt) => attemptRow(attempt, nodeId, 'refused', null)))
  yield* insertUsages(attempts.filter((attempt) => attempt.usage !== undefined && !refused.includes(attempt)))
  const after = yield* settleEnded(ended, now, heard)
  const lanes = ended.filter(({ cause }) => cause !== 'enqueue').length
  return { refused: refused.map(({ id }) => id), lanes, ...after }
}

/**
 * A completion is a transaction of its own, unless one is under way. Where it is told, both are in one, which this look
 * begins; where the node knows that nobody hears of it, there is none.
 */
function* listeners(known: Heard | undefined): Script<Heard> {
  return known === undefined || known.includes('execution.completed') ? yield* heardNow() : known
}

type Claimed = NonNullable<FinishedAttempt['claimed']>

/** What the claims said of their rows; read only where a caller did not keep it. */
function* readClaimed(
  attempts: readonly FinishedAttempt[],
): Script<(attempt: FinishedAttempt) => Claimed | undefined> {
  const unknown = attempts.filter((attempt) => attempt.claimed === undefined).map(({ id }) => id)
  if (unknown.length === 0) return ({ claimed }) => claimed
  const executions = yield* rows(
    'SELECT id, job_id, cause, tick_at FROM @live_executions WHERE id IN ?*',
    unknown,
  )
  const read = new Map<string, Claimed>()
  for (const execution of executions) {
    read.set(text(execution.id), {
      jobId: text(execution.job_id),
      cause: causeOf(execution.cause),
      tickAt: optionalNumber(execution.tick_at),
    })
  }
  return ({ id, claimed }) => claimed ?? read.get(id)
}

function lanesOf(
  attempts: readonly FinishedAttempt[],
  claimedOf: (attempt: FinishedAttempt) => Claimed | undefined,
): Set<string> {
  const jobIds = new Set<string>()
  for (const attempt of attempts) {
    const claimed = claimedOf(attempt)
    if (claimed !== undefined && claimed.cause !== 'enqueue') jobIds.add(claimed.jobId)
  }
  return jobIds
}

function completionOf(
  { id, fence, finishedAt, startedAt }: FinishedAttempt,
  result: unknown,
  claimed: Claimed | undefined,
): Completion {
  const jobId = claimed?.jobId ?? ''
  return { id, jobId, fence, result: written(result), finishedAt, startedAt: startedAt ?? null }
}

function completedFrom({ jobId, cause, tickAt }: Claimed, { id, finishedAt }: FinishedAttempt): Ended {
  return { id, jobId, cause, tickAt, state: 'completed', at: finishedAt }
}

/** The end of one attempt inside its handler's own transaction; null where it is no longer the holder. */
export function* finishOne(
  attempt: FinishedAttempt,
  request: Pick<FinishRequest, 'nodeId' | 'heard'>,
  hot: Pick<HotScripts, 'completeAttempts'>,
): Script<Aftermath | null> {
  const { nodeId, heard } = request
  const told = heard === undefined ? {} : { heard }
  const result = yield* finishAttempts({ nodeId, attempts: [attempt], now: attempt.finishedAt, ...told }, hot)
  return result.refused.length > 0 ? null : result
}

export function* startAttempts(
  claims: readonly Claim[],
  now: number,
  hot: Pick<HotScripts, 'startClaims'>,
): Script<string[]> {
  const started = yield* hot.startClaims(claims, now)
  const lost = claims.filter(({ id }) => !started.has(id))
  const ended: Ended[] = []
  for (const claim of lost) {
    // Somebody asked it to stop before it began: it ends here, and its lane goes on. What has waited in reserve past its
    // deadline goes back, and the rescuer cancels it.
    const given = yield* giveBack(claim, now)
    if (given !== null) ended.push(given)
  }
  yield* settleEnded(ended, now)
  return lost.map(({ id }) => id)
}

const outcomes: Readonly<Record<Ending['state'], AttemptRow['outcome']>> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  retrying: 'error',
  blocked: 'error',
  pending: 'error',
}
const endingStateOf = oneOf('state after an attempt', keysOf(outcomes))

/** The execution as it was ended, or null where the fence refused. */
function* writeEnding(
  attempt: FinishedAttempt,
  ending: Exclude<Ending, { state: 'completed' }>,
  nodeId: string,
): Script<Written | null> {
  const { id, fence, finishedAt } = attempt
  const startedAt = attempt.startedAt ?? null
  const error = written(ending.error)
  const touched =
    'readyAt' in ending
      ? yield* run(
          waitText,
          ending.state,
          finishedAt,
          error,
          ending.readyAt,
          ending.countsAttempt ? 0 : 1,
          startedAt,
          id,
          fence,
          startedAt,
        )
      : yield* run(
          endText,
          ending.state,
          error,
          'reason' in ending ? ending.reason : null,
          finishedAt,
          startedAt,
          startedAt,
          id,
          fence,
        )
  const ended = yield* afterWrite(id, touched, finishedAt)
  if (ended === null) return null
  const state = endingStateOf(ended.state)
  const waits = 'readyAt' in ending && state !== 'cancelled' ? ending : null
  if (waits?.rest !== undefined) yield* rest(attempt, waits.rest.names)
  const crashed = 'crashed' in ending && state !== 'cancelled'
  const outcome = crashed ? 'crashed' : waits === null ? outcomes[state] : waitOutcome(waits)
  yield* insertAttempts([attemptRow(attempt, nodeId, outcome, ended.startedAt)])
  return ended
}

function waitOutcome(ending: Extract<Ending, { readyAt: number }>): AttemptRow['outcome'] {
  if (ending.countsAttempt) return 'error'
  return ending.rest === undefined ? 'snoozed' : 'rested'
}

/** The row is held from here on, as a signal holds it: what was answered before brings it back at once. */
function* rest({ id, fence, finishedAt }: FinishedAttempt, names: readonly string[]): Script<void> {
  const open = yield* run(
    'UPDATE @steps SET rest_fence = ? WHERE execution_id = ? AND name IN ?* AND decided_at IS NULL',
    fence,
    id,
    names,
  )
  if (open < names.length) yield* run('UPDATE @live_executions SET ready_at = ? WHERE id = ?', finishedAt, id)
}

function written(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value)
}

function attemptRow(
  attempt: FinishedAttempt,
  nodeId: string,
  outcome: AttemptRow['outcome'],
  startedAt: number | null,
): EndedAttempt {
  const error = 'error' in attempt.ending ? written(attempt.ending.error) : null
  return { ...attempt, nodeId, outcome, startedAt, error }
}
