/**
 * A database that moves to another says so where every node looks, those of older versions too: among its migrations, as one
 * that nobody knows. Nodes that run stop by themselves, and none starts.
 */
import { movedName, movedVersion, moveTarget } from '../../migrate.ts'
import type { ChangeContext, MoveMark, Store } from '../../store.ts'
import { writeAuditLog } from '../audit/audit-log.ts'
import { number, text } from '../runtime/rows.ts'
import { insertRow, row, run, type Script } from '../runtime/script.ts'
import { ownTables } from './own-tables.ts'

export function* findMove(): Script<MoveMark | null> {
  const mark = yield* row(
    'SELECT name, checksum, applied_at FROM @migrations WHERE version = ?',
    movedVersion,
  )
  if (mark === null) return null
  return {
    id: text(mark.checksum),
    to: moveTarget(text(mark.name)),
    at: number(mark.applied_at),
  }
}

/** Of two who move it at once, the second is refused by the key, looks again, and finds the first. */
export function* markMoved(
  { id, to }: Pick<MoveMark, 'id' | 'to'>,
  { now, actor, origin }: ChangeContext,
  dialect: Store['dialect'],
): Script<MoveMark> {
  const known = yield* findMove()
  if (known !== null) return known
  const name = movedName(to)
  const mark = { id, to: moveTarget(name), at: now }
  yield* insertRow('migrations', {
    version: movedVersion,
    name,
    checksum: id,
    applied_at: now,
    ...(dialect === 'mysql' ? { steps: 0 } : {}),
  })
  yield* writeAuditLog({
    at: now,
    actor,
    origin,
    action: 'database.move',
    subject: 'database',
    before: null,
    after: mark,
  })
  return mark
}

export function* unmarkMoved({ now, actor, origin }: ChangeContext): Script<void> {
  const mark = yield* findMove()
  if (mark === null) return
  yield* run('DELETE FROM @migrations WHERE version = ?', movedVersion)
  yield* writeAuditLog({
    at: now,
    actor,
    origin,
    action: 'database.take_back',
    subject: 'database',
    before: mark,
    after: null,
  })
}

/** What a table of a database that has moved is called: no statement of any node finds it. */
export const asideName = (name: string) => `moved_${name}`

const aside: Readonly<Record<Store['dialect'], string>> = {
  sqlite: `SELECT count(*) AS n FROM sqlite_master WHERE name = '@${asideName('jobs')}'`,
  postgres: `SELECT count(*) AS n FROM pg_class WHERE oid = to_regclass('@${asideName('jobs')}')`,
  mysql: `SELECT count(*) AS n FROM information_schema.tables
    WHERE table_schema = DATABASE() AND table_name = '@${asideName('jobs')}'`,
}

export function* areTablesAside(dialect: Store['dialect']): Script<boolean> {
  return number((yield* row(aside[dialect]))?.n) === 1
}

/** All at once: nobody sees some of them aside. What was under way in them ends first, and is read with the rest. */
export function* putTablesAside(dialect: Store['dialect']): Script<void> {
  if (yield* areTablesAside(dialect)) return
  yield* rename(
    dialect,
    ownTables(dialect).map((name) => [name, asideName(name)]),
  )
}

export function* putTablesBack(dialect: Store['dialect']): Script<void> {
  if (!(yield* areTablesAside(dialect))) return
  yield* rename(
    dialect,
    ownTables(dialect).map((name) => [asideName(name), name]),
  )
}

/** Where DDL commits by itself, one statement renames all of them. */
function* rename(dialect: Store['dialect'], pairs: readonly (readonly [string, string])[]): Script<void> {
  if (dialect === 'mysql') {
    yield* run(`RENAME TABLE ${pairs.map(([from, to]) => `@${from} TO @${to}`).join(', ')}`)
    return
  }
  for (const [from, to] of pairs) {
    yield* run(`ALTER TABLE @${from} RENAME TO ${dialect === 'postgres' ? to : `@${to}`}`)
  }
}
