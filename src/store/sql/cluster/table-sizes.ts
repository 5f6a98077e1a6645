/** How large the history and the ledger are. Each engine knows in its own way; servers estimate their rows. */
import type { Store, TableSizes } from '../../store.ts'
import { number } from '../runtime/rows.ts'
import { row, type Script } from '../runtime/script.ts'

const parts = {
  history: ['live_executions', 'finished_executions', 'attempts', 'execution_logs'],
  ledger: ['tick_ranges', 'ledger_totals', 'day_totals'],
} as const

const texts: Readonly<
  Record<Store['dialect'], (tables: readonly string[], first: readonly string[]) => string>
> = {
  sqlite: (tables, first) =>
    `SELECT (SELECT sum(s.pgsize) FROM dbstat s JOIN sqlite_schema m ON m.name = s.name
         WHERE m.tbl_name IN (${quoted(tables)})) AS bytes,
       ${[...new Set(first)].map((table) => `(SELECT count(*) FROM @${table})`).join(' + ')} AS n`,
  postgres: (tables, first) =>
    `SELECT sum(pg_total_relation_size(oid)) AS bytes,
       sum(CASE WHEN oid IN (${regclasses(first)}) THEN greatest(reltuples, 0) ELSE 0 END) AS n
     FROM pg_class WHERE oid IN (${regclasses(tables)})`,
  mysql: (tables, first) =>
    `SELECT sum(data_length + index_length) AS bytes,
       sum(CASE WHEN table_name IN (${quoted(first)}) THEN table_rows ELSE 0 END) AS n
     FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name IN (${quoted(tables)})`,
}

function quoted(tables: readonly string[]): string {
  return tables.map((table) => `'@${table}'`).join(', ')
}

function regclasses(tables: readonly string[]): string {
  return tables.map((table) => `to_regclass('@${table}')`).join(', ')
}

export function* tableSizes(dialect: Store['dialect']): Script<TableSizes> {
  const text = texts[dialect]
  const history = yield* row(text(parts.history, ['finished_executions']))
  const ledger = yield* row(text(parts.ledger, ['tick_ranges']))
  return {
    history: { rows: Math.round(number(history?.n)), bytes: number(history?.bytes) },
    ledger: { rows: Math.round(number(ledger?.n)), bytes: number(ledger?.bytes) },
  }
}
