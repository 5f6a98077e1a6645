/**
 * The row `leader` of the locks table is the authority; a takeover writes the term in the same transaction, and the
 * term's id is the fence. `scheduler_leader_log` keeps its documented columns, with readable timestamps.
 */
import { leaseSlackMs } from '../../../core/attempt/lease.ts'
import type { LeaderTerm } from '../../../core/leader/term.ts'
import type { CurrentLeader, ElectRequest, Fence, RenewRequest, TermRow } from '../../store.ts'
import { tell } from '../notices/tell.ts'
import { number, optionalText, text } from '../runtime/rows.ts'
import { insertedId, type Row, row, rows, run, type Script, type ScriptContext } from '../runtime/script.ts'

export function* electLeader(
  { nodeId, now, leaseMs, abandoned }: ElectRequest,
  context: ScriptContext,
): Script<LeaderTerm | null> {
  const lock = yield* row(`SELECT fence, expires_at, lifeline FROM @locks WHERE name = 'leader' FOR UPDATE`)
  // A holder that is not gone has renewed meanwhile, or named another lifeline, or none.
  const isAbandoned =
    lock !== null &&
    number(lock.fence) === abandoned?.termId &&
    number(lock.expires_at) === abandoned.expiresAt &&
    optionalText(lock.lifeline) === abandoned.lifeline
  // Others' leases end a little after their time; one's own of a former life need not be waited for longer than that.
  if (lock !== null && number(lock.expires_at) + leaseSlackMs > now && !isAbandoned) return null
  const startAt = yield* startOfTerm(now)
  const at = timestamp(startAt)
  const termId = yield* insertedId(
    `INSERT INTO @scheduler_leader_log (leader_instance, start_time, last_heartbeat, handled_missed_tasks, created_at, updated_at)
     VALUES (?, ?, ?, FALSE, ?, ?)`,
    nodeId,
    at,
    at,
    at,
    at,
  )
  yield* run('INSERT INTO @term_repairs (term_id, tz_version) VALUES (?, ?)', termId, context.tzVersion)
  // A new leader waits the full time again before it disables jobs that no node can run.
  yield* run('DELETE FROM @orphans')
  // Of two who find no row, the second is refused by the key, looks again, and finds the first.
  yield* run(
    lock === null
      ? `INSERT INTO @locks (holder, token, fence, expires_at, name) VALUES (?, ?, ?, ?, 'leader')`
      : `UPDATE @locks SET holder = ?, token = ?, fence = ?, expires_at = ?, lifeline = NULL WHERE name = 'leader'`,
    nodeId,
    nodeId,
    termId,
    startAt + leaseMs,
  )
  const body = { node: nodeId, term: termId }
  yield* tell([{ type: 'leader.elected', at: startAt, jobId: null, subject: nodeId, body }])
  return {
    id: termId,
    leaderInstance: nodeId,
    startAt,
    stopAt: null,
    lastHeartbeatAt: startAt,
    handledMissedTasks: false,
  }
}

/**
 * Nodes estimate the database's time, each a little differently: a term that follows another at once must not seem to
 * begin before that one has ended. An end far in the future comes from a wrong clock and is ignored.
 */
function* startOfTerm(now: number): Script<number> {
  const last = yield* row('SELECT stop_time FROM @scheduler_leader_log ORDER BY id DESC LIMIT 1')
  const stopTime = optionalText(last?.stop_time)
  const stopAt = stopTime === null ? now : instant(stopTime)
  return stopAt <= now + leaseSlackMs ? Math.max(now, stopAt) : now
}

export function* renewTerm({ termId, holder, now, leaseMs, lifeline }: RenewRequest): Script<boolean> {
  const renewed = yield* run(
    `UPDATE @locks SET expires_at = ?, lifeline = ? WHERE name = 'leader' AND holder = ? AND fence = ?`,
    now + leaseMs,
    lifeline,
    holder,
    termId,
  )
  if (renewed === 0) return false
  yield* run(
    'UPDATE @scheduler_leader_log SET last_heartbeat = ?, updated_at = ? WHERE id = ?',
    timestamp(now),
    timestamp(now),
    termId,
  )
  return true
}

/** A graceful stop writes stop and heartbeat, and frees the lock at once. */
export function* endTerm({ termId, holder }: Fence, now: number): Script<void> {
  const freed = yield* run(
    `DELETE FROM @locks WHERE name = 'leader' AND holder = ? AND fence = ?`,
    holder,
    termId,
  )
  if (freed === 0) return
  const at = timestamp(now)
  yield* run(
    'UPDATE @scheduler_leader_log SET stop_time = ?, last_heartbeat = ?, updated_at = ? WHERE id = ? AND stop_time IS NULL',
    at,
    at,
    at,
    termId,
  )
}

/** True once no active job has an unaccounted tick from before the term: until then the next leader would go on. */
export function* markMissedHandled(termId: number, now: number): Script<boolean> {
  const term = yield* row('SELECT * FROM @scheduler_leader_log WHERE id = ?', termId)
  if (term === null) return false
  const open = yield* row(
    `SELECT id FROM @jobs WHERE next_due_at < ? AND state = 'active' LIMIT 1`,
    instant(text(term.start_time)),
  )
  if (open !== null) return false
  yield* run(
    'UPDATE @scheduler_leader_log SET handled_missed_tasks = TRUE, updated_at = ? WHERE id = ?',
    timestamp(now),
    termId,
  )
  return true
}

export function* currentLeader(): Script<CurrentLeader | null> {
  const lock = yield* row(
    `SELECT k.holder, k.fence, k.expires_at, k.lifeline, l.last_heartbeat
     FROM @locks k JOIN @scheduler_leader_log l ON l.id = k.fence WHERE k.name = 'leader'`,
  )
  if (lock === null) return null
  const expiresAt = number(lock.expires_at)
  // Every renewal writes both, by one clock.
  const leaseMs = expiresAt - instant(text(lock.last_heartbeat))
  return {
    holder: text(lock.holder),
    termId: number(lock.fence),
    expiresAt,
    leaseMs,
    lifeline: optionalText(lock.lifeline),
  }
}

export function* listTerms(instance: string | null, limit: number): Script<TermRow[]> {
  const terms = yield* rows(
    `SELECT l.*, r.found, r.caught_up, r.coalesced, r.skipped
     FROM @scheduler_leader_log l LEFT JOIN @term_repairs r ON r.term_id = l.id
     ${instance === null ? '' : 'WHERE l.leader_instance = ?'} ORDER BY l.id DESC LIMIT ?`,
    ...(instance === null ? [] : [instance]),
    limit,
  )
  return terms.map(termFrom)
}

function termFrom(term: Row): TermRow {
  const stop = optionalText(term.stop_time)
  const heartbeat = optionalText(term.last_heartbeat)
  return {
    id: number(term.id),
    leaderInstance: text(term.leader_instance),
    startAt: instant(text(term.start_time)),
    stopAt: stop === null ? null : instant(stop),
    lastHeartbeatAt: heartbeat === null ? null : instant(heartbeat),
    handledMissedTasks: number(term.handled_missed_tasks) === 1,
    repair: {
      found: number(term.found ?? 0),
      caughtUp: number(term.caught_up ?? 0),
      coalesced: number(term.coalesced ?? 0),
      skipped: number(term.skipped ?? 0),
    },
  }
}

/** `2026-11-16 04:05:06.789`, in UTC: what DATETIME(3) shows on a server. */
export function timestamp(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').replace('Z', '')
}

export function instant(written: string): number {
  return Date.parse(`${written.replace(' ', 'T')}Z`)
}
