/** Secrets by name. Every change has its line in the audit log, with the name and nothing of the value. */
import { secretsNamedIn } from '../../../core/job/handler.ts'
import type { ChangeContext, DeletedSecret, Reseal, SecretRow, SecretUse } from '../../store.ts'
import { writeAuditLog } from '../audit/audit-log.ts'
import { jobsPerPage } from '../jobs/find-jobs.ts'
import { number, specFrom, text } from '../runtime/rows.ts'
import { insertRow, type Row, row, rows, run, type Script } from '../runtime/script.ts'

const heldText = 'SELECT * FROM @secrets WHERE name = ? FOR UPDATE'

export function* putSecret(
  { name, sealed }: Pick<SecretRow, 'name' | 'sealed'>,
  by: ChangeContext,
): Script<SecretRow> {
  const { now, actor } = by
  const held = yield* row(heldText, name)
  const before = held === null ? null : secretFrom(held)
  if (before === null) {
    const made = { created_at: now, created_by: actor, changed_at: now, changed_by: actor }
    yield* insertRow('secrets', { name, sealed, ...made })
  } else {
    const changeText = 'UPDATE @secrets SET sealed = ?, changed_at = ?, changed_by = ? WHERE name = ?'
    yield* run(changeText, sealed, now, actor, name)
  }
  yield* note('secret.set', name, before?.changedAt ?? null, now, by)
  const { createdAt, createdBy } = before ?? { createdAt: now, createdBy: actor }
  return { name, sealed, createdAt, createdBy, changedAt: now, changedBy: actor }
}

export function* findSecrets(names: readonly string[]): Script<SecretRow[]> {
  return (yield* rows('SELECT * FROM @secrets WHERE name IN ?*', [...names])).map(secretFrom)
}

export function* listSecrets(): Script<SecretRow[]> {
  return (yield* rows('SELECT * FROM @secrets ORDER BY name')).map(secretFrom)
}

export function* deleteSecret(
  name: string,
  by: ChangeContext,
  { used }: { readonly used: 'refuse' | 'delete' },
): Script<DeletedSecret> {
  const held = yield* row(heldText, name)
  if (held === null) return { deleted: false, usedBy: [] }
  const uses = yield* usesLike(`%"secret":"${name}"%`)
  const usedBy = uses.filter(({ secrets }) => secrets.includes(name)).map(({ job }) => job)
  if (used === 'refuse' && usedBy.length > 0) return { deleted: false, usedBy }
  if ((yield* run('DELETE FROM @secrets WHERE name = ?', name)) === 0) return { deleted: false, usedBy }
  yield* note('secret.delete', name, secretFrom(held).changedAt, null, by)
  return { deleted: true, usedBy }
}

export function* listSecretUses(): Script<SecretUse[]> {
  return yield* usesLike('%"secret":"%')
}

const usesText = `SELECT name, spec FROM @jobs WHERE deleted_at IS NULL AND name > ? AND spec LIKE ? ORDER BY name LIMIT ?`

/** What else has this form, such as an input, is sorted out by reading the handler. */
function* usesLike(pattern: string): Script<SecretUse[]> {
  const uses: SecretUse[] = []
  for (let after = ''; ; ) {
    const jobs = yield* rows(usesText, after, pattern, jobsPerPage)
    for (const { name, spec } of jobs) {
      const secrets = secretsNamedIn(specFrom(spec).handler)
      if (secrets.length > 0) uses.push({ job: text(name), secrets })
    }
    if (jobs.length < jobsPerPage) return uses
    after = text(jobs.at(-1)?.name)
  }
}

export function* resealSecret(name: string, { from, to }: Reseal): Script<boolean> {
  return (yield* run('UPDATE @secrets SET sealed = ? WHERE name = ? AND sealed = ?', to, name, from)) === 1
}

function* note(
  action: string,
  subject: string,
  before: number | null,
  after: number | null,
  { now, actor, origin }: ChangeContext,
): Script<void> {
  const told = (changedAt: number | null) => (changedAt === null ? null : { changedAt })
  const entry = { at: now, actor, origin, action, subject }
  yield* writeAuditLog({ ...entry, before: told(before), after: told(after) })
}

function secretFrom(secret: Row): SecretRow {
  return {
    name: text(secret.name),
    sealed: text(secret.sealed),
    createdAt: number(secret.created_at),
    createdBy: text(secret.created_by),
    changedAt: number(secret.changed_at),
    changedBy: text(secret.changed_by),
  }
}
