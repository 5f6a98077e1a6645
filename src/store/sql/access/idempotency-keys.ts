/** Keeps answers under the caller's key, so that a request whose reply was lost can be repeated. */
import type { IdempotencyState, IdempotentEnd, IdempotentRequest } from '../../store.ts'
import { jsonObject, number, optionalNumber, text } from '../runtime/rows.ts'
import { type Row, row, run, type Script } from '../runtime/script.ts'

/** A request that is under way for longer than this has lost its node, and may be made again. */
const abandonedMs = 60_000
const keptMs = 86_400_000
const mine = 'actor = ? AND request_key = ? AND taken_at = ? AND status IS NULL'

/** Of two who bring the same key at once, the second is refused by the primary key, looks again, and finds the first. */
export function* beginIdempotent({
  caller,
  key,
  hash,
  takenAt,
}: IdempotentRequest): Script<IdempotencyState> {
  const known = yield* row(
    'SELECT * FROM @idempotency_keys WHERE actor = ? AND request_key = ? FOR UPDATE',
    caller,
    key,
  )
  if (known !== null && number(known.begun_at) >= takenAt - keptMs) {
    if (text(known.request_hash) !== hash) return { kind: 'another' }
    const status = optionalNumber(known.status)
    if (status !== null)
      return { kind: 'answered', status, headers: headersOf(known), body: text(known.body) }
    if (number(known.taken_at) > takenAt - abandonedMs) return { kind: 'under_way' }
    yield* run(
      'UPDATE @idempotency_keys SET taken_at = ? WHERE actor = ? AND request_key = ?',
      takenAt,
      caller,
      key,
    )
    return { kind: 'first', begunAt: number(known.begun_at), again: true }
  }
  // Too old to count, and not purged yet.
  if (known !== null)
    yield* run('DELETE FROM @idempotency_keys WHERE actor = ? AND request_key = ?', caller, key)
  yield* run(
    'INSERT INTO @idempotency_keys (actor, request_key, request_hash, begun_at, taken_at) VALUES (?, ?, ?, ?, ?)',
    caller,
    key,
    hash,
    takenAt,
    takenAt,
  )
  return { kind: 'first', begunAt: takenAt, again: false }
}

function headersOf(known: Row): Record<string, string> {
  return jsonObject(known.headers) as Record<string, string>
}

/**
 * What did nothing leaves its key as if it had never been used; what may have done something leaves it to the next try,
 * under the same instant. A request that took so long that another has its key by now leaves that one alone.
 */
export function* endIdempotent(
  { caller, key, takenAt }: IdempotentRequest,
  end: IdempotentEnd,
): Script<void> {
  if (end === 'undone') {
    yield* run(`DELETE FROM @idempotency_keys WHERE ${mine}`, caller, key, takenAt)
  } else if (end === 'unclear') {
    yield* run(`UPDATE @idempotency_keys SET taken_at = 0 WHERE ${mine}`, caller, key, takenAt)
  } else {
    yield* run(
      `UPDATE @idempotency_keys SET status = ?, headers = ?, body = ? WHERE ${mine}`,
      end.status,
      JSON.stringify(end.headers),
      end.body,
      caller,
      key,
      takenAt,
    )
  }
}

export function* purgeIdempotent(now: number): Script<number> {
  return yield* run('DELETE FROM @idempotency_keys WHERE begun_at < ?', now - keptMs)
}
