/** Takes back what no worker holds any more: crashed attempts, reservations, late starts, forgotten blocks. */

import { apartAfterCrashMs } from '../../core/attempt/backoff.ts'
import { leaseSlackMs } from '../../core/attempt/lease.ts'
import { crashError, endingOf } from '../../core/attempt/outcome.ts'
import type { Cause } from '../../core/execution/execution.ts'
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import type { Claim, ExpireRequest, ExpireResult, ReleaseAt, ReleaseResult } from '../store.ts'
import { afterEnded, type Ended, endedFrom, giveBack } from './end-execution.ts'
import { insertAttempt } from './finish-attempts.ts'
import { settleLane } from './lane.ts'
import { jobFrom, number, optionalNumber, optionalText, specFrom, text } from './rows.ts'
import { type Row, row, rows, run, type Script } from './script.ts'

const watchedText = `
  SELECT 1 AS watched WHERE EXISTS (SELECT 1 FROM @job_executions WHERE state = 'running')
    OR EXISTS (SELECT 1 FROM @job_executions WHERE state = 'blocked')
    OR EXISTS (SELECT 1 FROM @job_executions
       WHERE start_by IS NOT NULL AND attempt = 0 AND state IN ('pending', 'blocked'))`

const leaseText = `
  SELECT e.id, e.job_id, e.cause, e.tick_at, e.attempt, e.max_attempts, e.fence, e.started_at, e.leased_by,
       e.cancel_requested_at, e.cancel_reason, j.name AS job_name, j.spec, j.next_due_at
  FROM @job_executions e JOIN @jobs j ON j.id = e.job_id
  WHERE e.state = 'running' AND`

export function* expireLeases({ now, limit, random, silent = [] }: ExpireRequest): Script<ExpireResult> {
  const found = yield* rows(
    `${leaseText} e.leased_until <= ? ORDER BY e.leased_until LIMIT ?`,
    now - leaseSlackMs,
    limit,
  )
  for (const { id, fence, leasedUntil } of silent) {
    const text = `${leaseText} e.id = ? AND e.fence = ? AND e.leased_until = ?`
    found.push(...(yield* rows(text, id, fence, leasedUntil)))
  }
  const expired: ExpireResult['expired'][number][] = []
  const ended: Ended[] = []
  let crashed = 0
  for (const lease of found) {
    const apartMs = apartAfterCrashMs(crashed, found.length)
    if (lease.started_at !== null) crashed += 1
    const state = yield* expireLease(lease, now, random(), apartMs)
    expired.push({
      id: text(lease.id),
      jobName: text(lease.job_name),
      state,
      leasedBy: optionalText(lease.leased_by),
    })
    if (text(lease.cause) !== 'enqueue') ended.push(endedFrom(lease, state))
  }
  const late = yield* cancelLate(now, limit)
  ended.push(...late.ended)
  const releases = yield* afterEnded(ended, now)
  const watching = (yield* row(watchedText)) !== null
  return { expired, deadlined: late.count, watching, releases, ...(yield* findAhead(now, limit)) }
}

function* findAhead(now: number, limit: number): Script<Pick<ExpireResult, 'ahead' | 'longestLeaseMs'>> {
  const longest = yield* row('SELECT max(lease_ms) AS lease_ms FROM @nodes')
  const longestLeaseMs = number(longest?.lease_ms ?? 0)
  const ahead = yield* rows(
    `SELECT id, fence, leased_until FROM @job_executions WHERE state = 'running' AND leased_until > ?
     ORDER BY leased_until DESC LIMIT ?`,
    now + longestLeaseMs + leaseSlackMs,
    limit,
  )
  return {
    longestLeaseMs,
    ahead: ahead.map((lease) => ({
      id: text(lease.id),
      fence: number(lease.fence),
      leasedUntil: number(lease.leased_until),
    })),
  }
}

function* expireLease(lease: Row, now: number, random: number, apartMs: number): Script<ExecutionState> {
  const id = text(lease.id)
  const fence = number(lease.fence)
  if (lease.started_at === null) {
    const given = yield* giveBack({ id, fence }, now)
    return given === null ? 'running' : (text(given.state) as ExecutionState)
  }
  const spec = specFrom(lease.spec)
  const attempt = number(lease.attempt)
  const tried = {
    attempt,
    cause: text(lease.cause) as Cause,
    maxAttempts: spec.onCrash === 'fail' ? 0 : number(lease.max_attempts),
    retry: spec.retry,
    overlap: spec.overlap,
    nextTickAt: spec.overlap === 'allow' ? null : optionalNumber(lease.next_due_at),
    apartMs,
  }
  const asked = optionalNumber(lease.cancel_requested_at) !== null
  const ending = asked
    ? { state: 'cancelled' as const, error: null }
    : endingOf({ kind: 'error', error: crashError }, tried, now, random)
  const final = !('readyAt' in ending)
  yield* run(
    `UPDATE @job_executions SET state = ?, error = ?, ready_at = ?, finished_at = ?, leased_until = NULL, started_at = ?
     WHERE id = ? AND fence = ? AND state = 'running'`,
    ending.state,
    asked ? null : JSON.stringify(crashError),
    'readyAt' in ending ? ending.readyAt : now,
    final ? now : null,
    final ? number(lease.started_at) : null,
    id,
    fence,
  )
  yield* insertAttempt({
    id,
    attempt,
    fence,
    nodeId: optionalText(lease.leased_by),
    startedAt: number(lease.started_at),
    finishedAt: now,
    outcome: 'crashed',
    error: JSON.stringify(crashError),
  })
  return ending.state
}

export function* releaseClaims(claims: readonly Claim[], now: number): Script<void> {
  const ended: Ended[] = []
  for (const claim of claims) {
    const given = yield* giveBack(claim, now)
    if (given !== null && text(given.state) === 'cancelled' && text(given.cause) !== 'enqueue') {
      ended.push(endedFrom(given))
    }
  }
  yield* afterEnded(ended, now)
}

/** What could not start by its deadline is cancelled, with the reason; also where workers were down. */
function* cancelLate(now: number, limit: number): Script<{ count: number; ended: Ended[] }> {
  const late = yield* rows(
    `SELECT id, job_id, cause, tick_at FROM @job_executions
     WHERE start_by IS NOT NULL AND attempt = 0 AND state IN ('pending', 'blocked') AND start_by < ?
     ORDER BY start_by LIMIT ?`,
    now,
    limit,
  )
  for (const { id } of late) {
    yield* run(
      `UPDATE @job_executions SET state = 'cancelled', cancel_reason = 'start_deadline', start_by = NULL, finished_at = ?
       WHERE id = ? AND attempt = 0 AND state IN ('pending', 'blocked')`,
      now,
      text(id),
    )
  }
  const ended = late
    .filter((execution) => text(execution.cause) !== 'enqueue')
    .map((execution) => endedFrom(execution, 'cancelled'))
  return { count: late.length, ended }
}

/** Jobs with something blocked and a lane that may be free: normally none, since whoever ends work releases the next. */
const blockedJobsText = `
  SELECT DISTINCT b.job_id FROM @job_executions b
  WHERE b.state = 'blocked' AND b.ready_at <= ? AND NOT EXISTS (
    SELECT 1 FROM @job_executions a
    WHERE a.job_id = b.job_id AND (a.state = 'pending' OR a.state = 'running' OR a.state = 'retrying') AND a.cause <> 'enqueue')
  LIMIT 500`

export function* releaseBlocked(jobIds: readonly string[] | 'any', now: number): Script<ReleaseResult> {
  const ids =
    jobIds === 'any' ? (yield* rows(blockedJobsText, now)).map((found) => text(found.job_id)) : jobIds
  const releases: ReleaseAt[] = []
  for (const id of [...ids].sort()) {
    const found = yield* row('SELECT * FROM @jobs WHERE id = ?', id)
    if (found !== null) releases.push(...(yield* settleLane(jobFrom(found), now)))
  }
  return { released: ids.length, releases }
}
