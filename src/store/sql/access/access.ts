/** Tokens, sessions and sign-in links: who has them, until when, and whether they were used or taken back. */
import type { AccessRow, ChangeContext } from '../../store.ts'
import { writeAuditLog } from '../audit/audit-log.ts'
import { accessKindOf, accessRoleOf, number, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import { insertRow, type Row, row, rows, run, type Script } from '../runtime/script.ts'

/** A long list of expired tokens is of no use; the audit log keeps who had what. */
const keptMs = 30 * 86_400_000

export function* addAccess(access: AccessRow, origin?: string): Script<boolean> {
  const { parentId } = access
  // Held: whoever takes the parent back waits, and then finds its child.
  if (parentId !== null && (yield* row(liveParentText, parentId)) === null) return false
  const { id, kind, name, role, expiresAt } = access
  yield* insertRow('access_tokens', {
    id,
    kind,
    name,
    role,
    created_at: access.createdAt,
    created_by: access.createdBy,
    parent_id: parentId,
    expires_at: expiresAt,
  })
  yield* writeAuditLog({
    at: access.createdAt,
    actor: access.createdBy,
    origin,
    action: `${kind}.create`,
    subject: id,
    before: null,
    after: { name, role, expiresAt, ...(parentId === null ? {} : { madeWith: parentId }) },
  })
  return true
}

const liveParentText = 'SELECT id FROM @access_tokens WHERE id = ? AND revoked_at IS NULL FOR SHARE'

export function* liveAccess(ids: readonly string[], now: number): Script<string[]> {
  const live = yield* rows(
    'SELECT id FROM @access_tokens WHERE id IN ?* AND revoked_at IS NULL AND expires_at > ?',
    [...ids],
    now,
  )
  return live.map(({ id }) => text(id))
}

export function* findAccess(id: string): Script<AccessRow | null> {
  const access = yield* row('SELECT * FROM @access_tokens WHERE id = ?', id)
  return access === null ? null : accessFrom(access)
}

/** Newest first; ids grow with time. */
export function* listAccess(kind: AccessRow['kind'], now: number): Script<AccessRow[]> {
  const accesses = yield* rows(
    'SELECT * FROM @access_tokens WHERE kind = ? AND expires_at > ? ORDER BY created_at DESC, id DESC LIMIT 1000',
    kind,
    now,
  )
  return accesses.map(accessFrom)
}

/** Tokens that were made with a token are revoked with it: a thief must not keep them. */
export function* revokeAccess(id: string, { now, actor, origin }: ChangeContext): Script<string[]> {
  const revoked: string[] = []
  for (let ids = [id]; ids.length > 0; ) {
    const own: string[] = []
    for (const one of ids) if ((yield* run(revokeText, now, one)) === 1) own.push(one)
    for (const subject of own) {
      const after = subject === id ? null : { madeWith: id }
      yield* writeAuditLog({ at: now, actor, origin, action: 'token.revoke', subject, before: null, after })
    }
    revoked.push(...own)
    const children = own.length === 0 ? [] : yield* rows(childrenText, own)
    ids = children.map((child) => text(child.id))
  }
  return revoked
}

const revokeText = 'UPDATE @access_tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL'
const childrenText = 'SELECT id FROM @access_tokens WHERE parent_id IN ?* AND revoked_at IS NULL ORDER BY id'

/** Once: of two who follow the same link, the row count says who was first. */
export function* redeemLink(id: string, now: number): Script<AccessRow | null> {
  const used = yield* run(
    `UPDATE @access_tokens SET used_at = ?
     WHERE id = ? AND kind = 'link' AND used_at IS NULL AND revoked_at IS NULL AND expires_at > ?`,
    now,
    id,
    now,
  )
  return used === 1 ? yield* findAccess(id) : null
}

export function* purgeAccess(now: number): Script<number> {
  const gone = yield* run('DELETE FROM @access_tokens WHERE expires_at < ?', now - keptMs)
  return gone
}

function accessFrom(access: Row): AccessRow {
  return {
    id: text(access.id),
    kind: accessKindOf(access.kind),
    name: text(access.name),
    role: accessRoleOf(access.role),
    createdAt: number(access.created_at),
    createdBy: text(access.created_by),
    parentId: optionalText(access.parent_id),
    expiresAt: number(access.expires_at),
    usedAt: optionalNumber(access.used_at),
    revokedAt: optionalNumber(access.revoked_at),
  }
}
