/** Seals the audit log in batches, and prunes it by whole seals: what is left can still be verified from its first seal. */
import type { AuditSeal, ChangeContext, SealRequest, SealResult } from '../../store.ts'
import { number } from '../runtime/rows.ts'
import { insertRow, look, row, rows, run, type Script } from '../runtime/script.ts'
import { leadText } from '../ticks/account-ticks.ts'
import { chainBegin, sealFrom, sealHash } from './audit-chain.ts'
import { writeAuditLog } from './audit-log.ts'

const lastSealText = 'SELECT * FROM @audit_seals ORDER BY id DESC LIMIT 1'
/** Deleting more in one transaction would keep others waiting. */
const mostPruned = 10_000

/** The action of the entry that says up to which seal the log was pruned. */
export const pruneAction = 'audit_log.prune'

/** A second leader would find the seal's number taken, look again, and find what the first has sealed. */
export function* sealAuditLog({ leader, upTo, limit, now }: SealRequest): Script<SealResult> {
  const [figures] = yield* look(
    'SELECT (SELECT max(id) FROM @audit_log) AS newest, (SELECT max(to_id) FROM @audit_seals) AS sealed_to',
  )
  const newest = number(figures?.newest ?? 0)
  const nothing = { sealed: 0, newest, more: false }
  // The usual case costs this one look.
  if (Math.min(upTo, newest) <= number(figures?.sealed_to ?? 0)) return { led: true, ...nothing }
  const lastSeal = yield* row(lastSealText)
  const last = lastSeal === null ? null : sealFrom(lastSeal)
  const entries = yield* rows(
    'SELECT * FROM @audit_log WHERE id > ? AND id <= ? ORDER BY id LIMIT ?',
    last?.toId ?? 0,
    upTo,
    limit,
  )
  const fromId = number(entries[0]?.id ?? 0)
  const toId = number(entries.at(-1)?.id ?? 0)
  if (entries.length === 0) return { led: true, ...nothing }
  if ((yield* row(`${leadText} FOR SHARE`, leader.holder, leader.termId)) === null) {
    return { led: false, ...nothing }
  }
  const seal = {
    id: (last?.id ?? 0) + 1,
    fromId,
    toId,
    entries: entries.length,
    sealedAt: now,
    termId: leader.termId,
  }
  yield* insertRow('audit_seals', {
    id: seal.id,
    from_id: fromId,
    to_id: toId,
    entries: entries.length,
    hash: sealHash(last?.hash ?? chainBegin, seal, entries),
    sealed_at: now,
    term_id: leader.termId,
  })
  return { led: true, sealed: entries.length, newest, more: entries.length === limit }
}

/** The newest pruned seal stays as the anchor of what is left, and an entry says so: pruning cannot be used to tamper. */
export function* purgeAuditLog(before: number, { now, actor, origin }: ChangeContext): Script<number> {
  const [first] = yield* look('SELECT min(sealed_at) AS sealed_at FROM @audit_seals WHERE pruned_at IS NULL')
  if (first === undefined || first.sealed_at === null || number(first.sealed_at) >= before) return 0
  const old = yield* rows(
    'SELECT * FROM @audit_seals WHERE pruned_at IS NULL ORDER BY id LIMIT 100 FOR UPDATE',
  )
  const gone: AuditSeal[] = []
  let sum = 0
  for (const seal of old.map(sealFrom)) {
    // In the order of the chain, whatever the clocks of several leaders said.
    if (seal.sealedAt >= before || sum + seal.entries > mostPruned) break
    gone.push(seal)
    sum += seal.entries
  }
  const anchor = gone.at(-1)
  if (anchor === undefined) return 0
  yield* run('UPDATE @audit_seals SET pruned_at = ? WHERE id = ?', now, anchor.id)
  yield* run('DELETE FROM @audit_seals WHERE id < ?', anchor.id)
  const entries = yield* run('DELETE FROM @audit_log WHERE id <= ?', anchor.toId)
  yield* writeAuditLog({
    at: now,
    actor,
    origin,
    action: pruneAction,
    subject: 'audit_log',
    before: null,
    after: { seal: anchor.id, upTo: anchor.toId, entries },
  })
  return entries
}
