/** Replaces what is in the database by the rows of a backup, in one transaction: all of it, or none. */
import { EvertickError } from '../../../core/error.ts'
import { finalStates } from '../../../core/execution/execution-state.ts'
import type { BackupRow, BackupTable, BackupValue, ReplaceRequest, TableWriter } from '../../store.ts'
import { timestamp } from '../cluster/leadership.ts'
import { endless, type SqlDriver } from '../runtime/driver.ts'
import { number } from '../runtime/rows.ts'
import { type Columns, type RowOf, row, run, type Script } from '../runtime/script.ts'
import { finishedColumns } from '../work/make-final.ts'
import { ownTables } from './own-tables.ts'
import { findOccupants, tableNamed } from './read-tables.ts'
import { type RestoreInto, settleRestored } from './settle-restored.ts'
import { leftOutTables } from './tables.ts'

export async function replaceTables(
  driver: SqlDriver,
  into: RestoreInto,
  request: ReplaceRequest,
  fill: (writer: TableWriter) => Promise<void>,
): Promise<void> {
  const runIn = async <T>(tx: object, script: () => Script<T>) => await driver.within(tx, script)
  await driver.exclusive({
    ...endless,
    run: async (tx) => {
      await runIn(tx, () => refuseOccupied(request))
      const terms = await runIn(tx, newestTerm)
      for (const table of [...ownTables(into.dialect), ...Object.keys(leftOutTables)]) {
        await runIn(tx, () => run(`DELETE FROM @${table}`))
      }
      await fill({ write: async (table, rows) => await runIn(tx, () => insertRows(table, rows)) })
      await runIn(tx, () => settleRestored(request, terms, into))
    },
  })
}

function* refuseOccupied({ unlessOccupiedSince }: ReplaceRequest): Script<void> {
  if (unlessOccupiedSince === null) return
  const { jobs, nodes } = yield* findOccupants(unlessOccupiedSince)
  if (nodes.length > 0) {
    throw new EvertickError(
      'database_in_use',
      `${nodes.length === 1 ? 'A node works' : `${nodes.length} nodes work`} on this database: ${nodes.slice(0, 3).join(', ')}.`,
      {
        next: 'Stop every node, wait a minute for one that died, and try again. --force replaces what is there all the same.',
      },
    )
  }
  if (jobs === 0) return
  throw new EvertickError('database_in_use', `This database has ${jobs === 1 ? 'a job' : `${jobs} jobs`}.`, {
    next: 'Restore into an empty database, or replace what is there with --force.',
  })
}

/** Of the terms that are about to go: nodes that still live may believe in one of them. */
function* newestTerm(): Script<number> {
  return number((yield* row('SELECT max(id) AS id FROM @scheduler_leader_log'))?.id ?? 0)
}

function* insertRows({ name, columns }: BackupTable, rows: readonly BackupRow[]): Script<void> {
  const types = tableNamed(name).columns
  const written = rows.map((row) => rowOf(types, columns, row))
  const some: Columns = Object.fromEntries(columns.map((column) => [column, types[column] ?? 'text']))
  if (name === 'locks') {
    const free = { ...some, holder: 'text', token: 'text', expires_at: 'number' } as const
    const nobodys = written.map((lock) => ({ ...lock, holder: '', token: '', expires_at: 0 }))
    return yield* insertNumbered(name, free, nobodys)
  }
  if (name !== 'job_executions') return yield* insertNumbered(name, some, written)
  const finished: Columns = Object.fromEntries(Object.entries(some).filter(([column]) => kept.has(column)))
  yield* insertNumbered(
    'live_executions',
    some,
    written.filter(({ state }) => !finals.has(state ?? '')),
  )
  yield* insertNumbered(
    'finished_executions',
    finished,
    written.filter(({ state }) => finals.has(state ?? '')),
  )
}

const kept: ReadonlySet<string> = new Set(finishedColumns)
const finals: ReadonlySet<unknown> = new Set(finalStates)

function* insertNumbered(into: string, columns: Columns, rows: readonly RowOf<Columns>[]): Script<void> {
  if (rows.length > 0) yield { into, columns, rows, numbered: true }
}

function rowOf(types: Columns, names: readonly string[], row: BackupRow): RowOf<Columns> {
  return Object.fromEntries(names.map((name, at) => [name, written(types[name], row[at] ?? null)]))
}

function written(type: Columns[string] | undefined, value: BackupValue): BackupValue {
  return type === 'timestamp' && value !== null ? timestamp(number(value)) : value
}
