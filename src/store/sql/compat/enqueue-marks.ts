/**
 * Marks for what a leader puts into somebody else's queue: claimed before, enqueued after. A claim that was never
 * finished belongs to a leader that died in between; the next one takes it over, and knows that it may be a repeat.
 */
import type { MarkClaim, MarkRequest } from '../../store.ts'
import { number, text } from '../runtime/rows.ts'
import { row, rows, run, type Script } from '../runtime/script.ts'

export function* claimMark({ mark, fence, expiresAt }: MarkRequest): Script<MarkClaim> {
  const known = yield* row(
    'SELECT claimed_by, enqueued_at FROM @enqueue_marks WHERE mark = ? FOR UPDATE',
    mark,
  )
  if (known === null) {
    // Of two who find no row, the second is refused by the key, looks again, and finds the first.
    yield* run(
      'INSERT INTO @enqueue_marks (mark, claimed_by, expires_at) VALUES (?, ?, ?)',
      mark,
      fence,
      expiresAt,
    )
    return 'claimed'
  }
  if (known.enqueued_at !== null) return 'enqueued'
  if (number(known.claimed_by) > fence) return 'stale'
  yield* run(
    'UPDATE @enqueue_marks SET claimed_by = ?, expires_at = ? WHERE mark = ?',
    fence,
    expiresAt,
    mark,
  )
  return 'repeated'
}

export function* finishMark({ mark, fence, now, expiresAt }: MarkRequest): Script<boolean> {
  const finished = yield* run(
    'UPDATE @enqueue_marks SET enqueued_at = ?, expires_at = ? WHERE mark = ? AND claimed_by = ?',
    now,
    expiresAt,
    mark,
    fence,
  )
  return finished === 1
}

/** Only while somebody leads: however long nobody did, the next leader still finds what was enqueued before. */
export function* purgeMarks(now: number, limit: number): Script<number> {
  const expired = yield* rows(
    'SELECT mark FROM @enqueue_marks WHERE expires_at <= ? ORDER BY expires_at LIMIT ?',
    now,
    limit,
  )
  if (expired.length === 0) return 0
  const marks = expired.map(({ mark }) => text(mark)).toSorted()
  return yield* run('DELETE FROM @enqueue_marks WHERE expires_at <= ? AND mark IN ?*', now, marks)
}
