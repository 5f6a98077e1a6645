/** Named locks with a token and a fence that grows at every acquisition. */
import { leaseSlackMs } from '../../../core/attempt/lease.ts'
import type { ChangeContext, LockRequest, LockRow } from '../../store.ts'
import { writeAuditLog } from '../audit/audit-log.ts'
import { number, text } from '../runtime/rows.ts'
import { row, rows, run, type Script } from '../runtime/script.ts'
import { likeText } from '../runtime/where.ts'

/** A released lock keeps its row, and with it its fence: the next holder's number is always larger. */
export function* acquireLock(request: LockRequest): Script<{ fence: number } | null> {
  const { name, holder, token, now, expiresAt } = request
  const lock = yield* row('SELECT fence, expires_at FROM @locks WHERE name = ? FOR UPDATE', name)
  if (lock !== null && number(lock.expires_at) > now - leaseSlackMs) return null
  const fence = number(lock?.fence ?? 0) + 1
  // Of two who find no row, the second is refused by the key, looks again, and finds the first.
  yield* run(
    lock === null
      ? 'INSERT INTO @locks (holder, token, fence, expires_at, name) VALUES (?, ?, ?, ?, ?)'
      : 'UPDATE @locks SET holder = ?, token = ?, fence = ?, expires_at = ? WHERE name = ?',
    holder,
    token,
    fence,
    expiresAt,
    name,
  )
  return { fence }
}

export function* extendLock(name: string, token: string, expiresAt: number, now: number): Script<boolean> {
  const extended = yield* run(
    'UPDATE @locks SET expires_at = ? WHERE name = ? AND token = ? AND expires_at > ?',
    expiresAt,
    name,
    token,
    now,
  )
  return extended === 1
}

/** Without a token: an operator's release. */
export function* releaseLock(name: string, token: string | null, by?: ChangeContext): Script<boolean> {
  const released = yield* run(
    `UPDATE @locks SET expires_at = 0 WHERE name = ? AND expires_at > 0 ${token === null ? '' : 'AND token = ?'}`,
    name,
    ...(token === null ? [] : [token]),
  )
  if (released === 1 && by !== undefined) {
    const { now: at, actor, origin } = by
    yield* writeAuditLog({
      at,
      actor,
      origin,
      action: 'lock.release',
      subject: name,
      before: null,
      after: null,
    })
  }
  return released === 1
}

/** A lock that was taken again meanwhile is no longer expired, and stays. */
export function* clearExpiredLocks(prefix: string, now: number): Script<number> {
  return yield* run(
    `UPDATE @locks SET expires_at = 0 WHERE name LIKE ? ESCAPE '!' AND expires_at > 0 AND expires_at <= ?`,
    `${likeText(prefix)}%`,
    now - leaseSlackMs,
  )
}

export function* listLocks(): Script<LockRow[]> {
  const locks = yield* rows(
    'SELECT name, holder, fence, expires_at FROM @locks WHERE expires_at > 0 ORDER BY name',
  )
  return locks.map((lock) => ({
    name: text(lock.name),
    holder: text(lock.holder),
    fence: number(lock.fence),
    expiresAt: number(lock.expires_at),
  }))
}
