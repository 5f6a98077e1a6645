/** Takes back what no worker holds any more: crashed attempts, reservations, late starts and lanes that were left blocked. */

import { apartAfterCrashMs } from '../../../core/attempt/backoff.ts'
import { leaseSlackMs } from '../../../core/attempt/lease.ts'
import { crashError, endingOf } from '../../../core/attempt/outcome.ts'
import type { ExecutionState } from '../../../core/execution/execution-state.ts'
import type { Claim, ExpireRequest, ExpireResult, ReleaseAt, ReleaseResult } from '../../store.ts'
import type { Crash, HotScripts } from '../hot-scripts.ts'
import { holdLanes } from '../jobs/lock-job.ts'
import { causeOf, jobFrom, number, optionalNumber, optionalText, specFrom, text } from '../runtime/rows.ts'
import { type Row, row, rows, type Script } from '../runtime/script.ts'
import { insertAttempts } from './attempt-rows.ts'
import { giveBack, settleEnded } from './end-execution.ts'
import { settleLane } from './lane.ts'
import { cancelWaiting, type Ended, endedFrom } from './make-final.ts'
import { withReservedStarts } from './reserves.ts'

const watchedText = `
  SELECT EXISTS (SELECT 1 FROM @live_executions WHERE state = 'running')
    OR EXISTS (SELECT 1 FROM @live_executions WHERE state = 'blocked')
    OR EXISTS (SELECT 1 FROM @live_executions
       WHERE start_by IS NOT NULL AND attempt = 0 AND state IN ('pending', 'blocked')) AS watched`

/** Without their jobs, which are read once each: joined, every lease would carry its job's whole spec. */
const leaseText = `
  SELECT id, job_id, cause, tick_at, attempt, max_attempts, fence, started_at, leased_by, leased_until, queue, reserve_place,
    cancel_requested_at
  FROM @live_executions WHERE state = 'running' AND`

const jobsText = 'SELECT id, name, spec, next_due_at FROM @jobs WHERE id IN ?*'

export function* expireLeases(
  { now, limit, random, silent = [] }: ExpireRequest,
  hot: Pick<HotScripts, 'crashAttempts'>,
): Script<ExpireResult> {
  const seen = yield* rows(
    `${leaseText} leased_until <= ? ORDER BY leased_until LIMIT ?`,
    now - leaseSlackMs,
    limit,
  )
  for (const { id, fence, leasedUntil } of silent) {
    const text = `${leaseText} id = ? AND fence = ? AND leased_until = ?`
    seen.push(...(yield* rows(text, id, fence, leasedUntil)))
  }
  yield* holdLanes(seen.filter(isInLane).map(({ job_id }) => text(job_id)))
  const leases = yield* holdExpired(yield* withReservedStarts(seen))
  const jobs = yield* jobsOf(leases)
  const states = yield* takeBack(leases, jobs, { now, random }, hot)
  const taken = leases.flatMap((lease) => {
    const state = states.get(text(lease.id))
    return state === undefined ? [] : [{ lease, state }]
  })
  const late = yield* cancelLate(now, limit)
  const ended = taken.map(({ lease, state }) => endedFrom(lease, state, now))
  const after = yield* settleEnded([...ended, ...late], now)
  const watching = number((yield* row(watchedText))?.watched) === 1
  const expired = taken.map(({ lease, state }) => ({
    id: text(lease.id),
    jobName: text(jobs.get(text(lease.job_id))?.name),
    state,
    leasedBy: optionalText(lease.leased_by),
  }))
  return { expired, deadlined: late.length, watching, ...after, ...(yield* findAhead(now, limit)) }
}

function* jobsOf(leases: readonly Row[]): Script<ReadonlyMap<string, Row>> {
  if (leases.length === 0) return new Map()
  const jobs = yield* rows(jobsText, [...new Set(leases.map(({ job_id }) => text(job_id)))])
  return new Map(jobs.map((job) => [text(job.id), job]))
}

/**
 * Those that are still as they were seen: the others were renewed or ended while their jobs were waited for. What has begun, or
 * was asked to stop, since then says so in its own row.
 */
function* holdExpired(seen: readonly Row[]): Script<Row[]> {
  if (seen.length === 0) return []
  // By id alone, or MySQL might go by the state, and wait for rows that are none of ours. What has ended has no lease.
  const current = yield* rows(
    `SELECT id, fence, leased_until, attempt, started_at, cancel_requested_at FROM @live_executions
     WHERE id IN ?* ORDER BY id FOR UPDATE`,
    seen.map(({ id }) => text(id)),
  )
  const held = new Map(current.map((lease) => [text(lease.id), lease]))
  return seen.flatMap((lease) => {
    const now = held.get(text(lease.id))
    if (now === undefined || now.fence !== lease.fence || now.leased_until !== lease.leased_until) return []
    // Unless it has begun by its place in a reserve, which its row does not say.
    const { attempt, started_at } = now.started_at === null ? lease : now
    return [{ ...lease, ...now, attempt: attempt ?? null, started_at: started_at ?? null }]
  })
}

function isInLane(execution: Row): boolean {
  return text(execution.cause) !== 'enqueue'
}

/** The states of those that were taken back; who has renewed or ended meanwhile is not among them. */
function* takeBack(
  leases: readonly Row[],
  jobs: ReadonlyMap<string, Row>,
  { now, random }: Pick<ExpireRequest, 'now' | 'random'>,
  hot: Pick<HotScripts, 'crashAttempts'>,
): Script<ReadonlyMap<string, ExecutionState>> {
  const states = new Map<string, ExecutionState>()
  const crashes: { readonly crash: Crash; readonly lease: Row }[] = []
  for (const lease of leases) {
    if (lease.started_at === null) {
      const given = yield* giveBack({ id: text(lease.id), fence: number(lease.fence) }, now)
      if (given !== null) states.set(text(lease.id), given.state)
    } else {
      const apartMs = apartAfterCrashMs(crashes.length, leases.length)
      const job = jobs.get(text(lease.job_id)) ?? {}
      crashes.push({ crash: crashOf(lease, job, now, { random: random(), apartMs }), lease })
    }
  }
  if (crashes.length === 0) return states
  const written = yield* hot.crashAttempts(crashes.map(({ crash }) => crash))
  const ended = crashes.filter(({ crash }) => written.has(crash.id))
  for (const { crash } of ended) states.set(crash.id, crash.state)
  yield* insertAttempts(
    ended.map(({ crash, lease }) => ({
      id: crash.id,
      attempt: number(lease.attempt),
      fence: crash.fence,
      nodeId: optionalText(lease.leased_by),
      startedAt: number(lease.started_at),
      finishedAt: now,
      outcome: 'crashed',
      error: JSON.stringify(crashError),
    })),
  )
  return states
}

function* findAhead(now: number, limit: number): Script<Pick<ExpireResult, 'ahead' | 'longestLeaseMs'>> {
  const longest = yield* row('SELECT max(lease_ms) AS lease_ms FROM @nodes')
  const longestLeaseMs = number(longest?.lease_ms ?? 0)
  const ahead = yield* rows(
    `SELECT id, fence, leased_until FROM @live_executions WHERE state = 'running' AND leased_until > ?
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

function crashOf(
  lease: Row,
  job: Row,
  now: number,
  { random, apartMs }: { readonly random: number; readonly apartMs: number },
): Crash {
  const spec = specFrom(job.spec)
  const tried = {
    attempt: number(lease.attempt),
    cause: causeOf(lease.cause),
    maxAttempts: number(lease.max_attempts),
    retry: spec.retry,
    overlap: spec.overlap,
    onCrash: spec.onCrash,
    nextTickAt: spec.overlap === 'allow' ? null : optionalNumber(job.next_due_at),
    apartMs,
  }
  const asked = optionalNumber(lease.cancel_requested_at) !== null
  const ending = asked
    ? { state: 'cancelled' as const, error: null }
    : endingOf({ kind: 'crash', error: crashError }, tried, now, random)
  const final = !('readyAt' in ending)
  return {
    id: text(lease.id),
    fence: number(lease.fence),
    attempt: number(lease.attempt),
    state: ending.state,
    error: asked ? null : JSON.stringify(crashError),
    readyAt: 'readyAt' in ending ? ending.readyAt : now,
    finishedAt: final ? now : null,
    startedAt: final ? number(lease.started_at) : null,
  }
}

export function* releaseClaims(claims: readonly Claim[], now: number): Script<void> {
  const ended: Ended[] = []
  for (const claim of claims) {
    const given = yield* giveBack(claim, now)
    if (given?.state === 'cancelled') ended.push(given)
  }
  yield* settleEnded(ended, now)
}

/** What could not start by its deadline is cancelled, with the reason; also where workers were down. */
function* cancelLate(now: number, limit: number): Script<Ended[]> {
  const late = yield* rows(
    `SELECT id, job_id, cause FROM @live_executions
     WHERE start_by IS NOT NULL AND attempt = 0 AND state IN ('pending', 'blocked') AND start_by < ?
     ORDER BY start_by LIMIT ?`,
    now,
    limit,
  )
  if (late.length === 0) return []
  yield* holdLanes(late.filter(isInLane).map(({ job_id }) => text(job_id)))
  const ids = late.map(({ id }) => text(id))
  return yield* cancelWaiting('start_deadline', now, 'id IN ?* AND attempt = 0', ids)
}

export function* releaseBlocked(
  jobIds: readonly string[] | 'any',
  now: number,
  hot: Pick<HotScripts, 'findIdleLanes'>,
): Script<ReleaseResult> {
  const ids = jobIds === 'any' ? yield* hot.findIdleLanes(now) : jobIds
  const releases: ReleaseAt[] = []
  for (const id of [...ids].sort()) {
    const job = yield* row('SELECT * FROM @jobs WHERE id = ? FOR UPDATE', id)
    if (job !== null) releases.push(...(yield* settleLane(jobFrom(job), now)))
  }
  return { released: ids.length, releases }
}
