/** Answers that a caller may ask for again under the same key: so that a request whose reply was lost can be repeated. */
import type { KeptAnswer, KeptRequest } from '../store.ts'
import { number, optionalNumber, text } from './rows.ts'
import { row, run, type Script } from './script.ts'

/** A request that is under way for longer than this has lost its node, and may be made again. */
const abandonedMs = 60_000
const keptMs = 86_400_000
const mine = 'actor = ? AND request_key = ? AND begun_at = ? AND status IS NULL'

/** Of two who bring the same key at once, the second is refused by the primary key, looks again, and finds the first. */
export function* beginKept({ caller, key, hash, begunAt }: KeptRequest): Script<KeptAnswer> {
  const known = yield* row(
    'SELECT request_hash, begun_at, status, body FROM @kept_answers WHERE actor = ? AND request_key = ? FOR UPDATE',
    caller,
    key,
  )
  const stale = known !== null && number(known.begun_at) < begunAt - keptMs
  if (known !== null && !stale) {
    if (text(known.request_hash) !== hash) return { kind: 'another' }
    const status = optionalNumber(known.status)
    if (status !== null) return { kind: 'answered', status, body: text(known.body) }
    if (number(known.begun_at) > begunAt - abandonedMs) return { kind: 'under_way' }
  }
  yield* run(
    known === null
      ? 'INSERT INTO @kept_answers (request_hash, begun_at, actor, request_key) VALUES (?, ?, ?, ?)'
      : 'UPDATE @kept_answers SET request_hash = ?, begun_at = ?, status = NULL, body = NULL WHERE actor = ? AND request_key = ?',
    hash,
    begunAt,
    caller,
    key,
  )
  return { kind: 'first' }
}

/**
 * Without an answer the key is free again: what failed may be tried again. A request that took so long that another has
 * its key by now leaves that one alone.
 */
export function* endKept(
  { caller, key, begunAt }: KeptRequest,
  answer: { readonly status: number; readonly body: string } | null,
): Script<void> {
  if (answer === null) {
    yield* run(`DELETE FROM @kept_answers WHERE ${mine}`, caller, key, begunAt)
    return
  }
  yield* run(
    `UPDATE @kept_answers SET status = ?, body = ? WHERE ${mine}`,
    answer.status,
    answer.body,
    caller,
    key,
    begunAt,
  )
}

export function* purgeKept(now: number): Script<number> {
  return yield* run('DELETE FROM @kept_answers WHERE begun_at < ?', now - keptMs)
}
