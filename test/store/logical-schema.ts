/**
 * What a live database says of its tables, in words that all engines share: so that the three files of a migration can be
 * compared. The names are those of SQLite without their prefix.
 */
import type { DatabaseSync } from 'node:sqlite'

export type LogicalType = 'text' | 'integer' | 'real' | 'boolean' | 'timestamp'

export interface LogicalColumn {
  readonly name: string
  readonly type: LogicalType
  readonly nullable: boolean
  /** Not where the database counts up by itself: SQLite does that for every integer key. */
  readonly hasDefault: boolean
}

export interface LogicalKey {
  readonly columns: readonly string[]
  /** Which rows count, such as `deleted_at is null`; that nulls are distinct goes without saying. */
  readonly where: string | null
}

export interface LogicalTable {
  readonly columns: readonly LogicalColumn[]
  readonly primaryKey: readonly string[]
  readonly uniqueKeys: readonly LogicalKey[]
}

export interface LogicalSchema {
  readonly tables: Readonly<Record<string, LogicalTable>>
  /** The columns of each view. */
  readonly views: Readonly<Record<string, readonly string[]>>
}

/** A client of `pg`. */
export interface PostgresClient {
  query(text: string, params: string[]): Promise<{ rows: unknown[] }>
}

/** A connection of `mysql2/promise`. */
export interface MysqlConnection {
  query(text: string): Promise<[unknown, unknown]>
}

/** MySQL has no truth but 0 and 1. */
type Truth = boolean | number

interface FoundColumn {
  readonly table: string
  readonly view: Truth
  readonly name: string
  /** In the engine's words. */
  readonly type: string
  readonly nullable: Truth
  readonly default: string | null
  /** The expression of a generated column. */
  readonly generated: string | null
}

interface FoundKey {
  readonly table: string
  readonly primary: Truth
  readonly columns: readonly string[]
  /** The condition of a partial index. */
  readonly where: string | null
}

export function logicalSchemaOfSqlite(db: DatabaseSync): LogicalSchema {
  const all = <Row>(text: string, ...params: string[]) => db.prepare(text).all(...params) as Row[]
  const relations = all<{ name: string; type: string }>(
    `SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')`,
  ).filter(({ name }) => isOurs(name))
  const columns: FoundColumn[] = []
  const keys: FoundKey[] = []
  for (const { name: table, type: kind } of relations) {
    const found = all<{ name: string; type: string; notnull: number; dflt_value: string | null; pk: number }>(
      'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY cid',
      table,
    )
    for (const { name, type, notnull, dflt_value, pk } of found) {
      const nullable = notnull === 0 && pk === 0
      columns.push({
        table,
        view: kind === 'view',
        name,
        type,
        nullable,
        default: dflt_value,
        generated: null,
      })
    }
    const primary = found.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
    keys.push({ table, primary: true, columns: primary.map(({ name }) => name), where: null })
    const indexes = all<{ name: string; sql: string | null }>(
      `SELECT l.name, m.sql FROM pragma_index_list(?) l LEFT JOIN sqlite_master m ON m.name = l.name
       WHERE l."unique" = 1 AND l.origin <> 'pk'`,
      table,
    )
    for (const index of indexes) {
      const parts = all<{ name: string }>('SELECT name FROM pragma_index_info(?) ORDER BY seqno', index.name)
      const where = /\bWHERE\b(.*)$/is.exec(index.sql ?? '')?.[1] ?? null
      keys.push({ table, primary: false, columns: parts.map(({ name }) => name), where })
    }
  }
  return schemaFrom(columns, keys)
}

export async function logicalSchemaOfPostgres(
  client: PostgresClient,
  schema: string,
): Promise<LogicalSchema> {
  const columns = await client.query(
    `SELECT c.table_name AS "table", t.table_type = 'VIEW' AS view, c.column_name AS name, c.data_type AS type,
       c.is_nullable = 'YES' AS nullable, c.column_default AS "default", NULL AS generated
     FROM information_schema.columns c
     JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
     WHERE c.table_schema = $1 ORDER BY c.table_name, c.ordinal_position`,
    [schema],
  )
  const keys = await client.query(
    `SELECT t.relname AS "table", i.indisprimary AS "primary", pg_get_expr(i.indpred, i.indrelid) AS "where",
       (SELECT string_agg(a.attname, ',' ORDER BY k.n) FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.n <= i.indnkeyatts) AS columns
     FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace s ON s.oid = t.relnamespace
     WHERE s.nspname = $1 AND i.indisunique`,
    [schema],
  )
  return schemaFrom(columns.rows as FoundColumn[], (keys.rows as WrittenKey[]).map(keyFrom))
}

/** The database that the connection uses, with the prefix `evertick_`. */
export async function logicalSchemaOfMysql(connection: MysqlConnection): Promise<LogicalSchema> {
  const [columns] = await connection.query(
    `SELECT c.TABLE_NAME AS \`table\`, t.TABLE_TYPE = 'VIEW' AS view, c.COLUMN_NAME AS name, c.COLUMN_TYPE AS type,
       c.IS_NULLABLE = 'YES' AS nullable, c.COLUMN_DEFAULT AS \`default\`,
       NULLIF(c.GENERATION_EXPRESSION, '') AS \`generated\`
     FROM information_schema.COLUMNS c
     JOIN information_schema.TABLES t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
     WHERE c.TABLE_SCHEMA = DATABASE() ORDER BY c.TABLE_NAME, c.ORDINAL_POSITION`,
  )
  const [keys] = await connection.query(
    `SELECT TABLE_NAME AS \`table\`, INDEX_NAME = 'PRIMARY' AS \`primary\`, NULL AS \`where\`,
       GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX) AS columns
     FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND NON_UNIQUE = 0
     GROUP BY TABLE_NAME, INDEX_NAME`,
  )
  const found = columns as FoundColumn[]
  const ours = (row: { readonly table: string }) => isOurs(row.table)
  const known = (keys as WrittenKey[]).filter(ours).map(keyFrom)
  return schemaFrom(
    found.filter(ours),
    known.map((key) => withoutGenerated(key, found)),
  )
}

interface WrittenKey extends Omit<FoundKey, 'columns'> {
  readonly columns: string
}

function keyFrom(key: WrittenKey): FoundKey {
  return { ...key, columns: key.columns.split(',') }
}

/** `CASE WHEN condition THEN name END` in a key stands for the key of a partial index. */
function withoutGenerated(key: FoundKey, columns: readonly FoundColumn[]): FoundKey {
  let where = key.where
  const standing = key.columns.map((name) => {
    const column = columns.find((one) => one.table === key.table && one.name === name)
    const stands = /case when (.+) then `(\w+)` end/is.exec(column?.generated ?? '')
    if (stands === null) return name
    where = stands[1] ?? null
    return stands[2] ?? name
  })
  return { ...key, columns: standing, where }
}

function isOurs(name: string): boolean {
  return name.startsWith('evertick_') || ['scheduler_leader_log', 'processing_jobs'].includes(name)
}

function schemaFrom(columns: readonly FoundColumn[], keys: readonly FoundKey[]): LogicalSchema {
  const tables: Record<string, LogicalTable> = {}
  const views: Record<string, string[]> = {}
  const byTable = Map.groupBy(columns, ({ table }) => table.replace(/^evertick_/, ''))
  for (const [name, all] of [...byTable].sort(([a], [b]) => (a < b ? -1 : 1))) {
    // What the migrator writes of itself differs with what its engine can undo.
    if (name.startsWith('migration')) continue
    if (all.some(({ view }) => Boolean(view))) views[name] = all.map((column) => column.name)
    else tables[name] = tableFrom(all, keys)
  }
  return { tables, views }
}

function tableFrom(found: readonly FoundColumn[], keys: readonly FoundKey[]): LogicalTable {
  const columns = found.filter((column) => column.generated === null)
  const own = keys.filter(({ table }) => table === found[0]?.table)
  const uniqueKeys = own
    .filter(({ primary }) => !primary)
    .map((key) => ({ columns: key.columns, where: conditionOf(key, columns) }))
  return {
    columns: columns.map((column) => ({
      name: column.name,
      type: logicalType(column),
      nullable: Boolean(column.nullable),
      hasDefault: column.default !== null && !/^null\b/i.test(column.default),
    })),
    primaryKey: own.find(({ primary }) => primary)?.columns ?? [],
    uniqueKeys: uniqueKeys.sort((a, b) => (a.columns.join() < b.columns.join() ? -1 : 1)),
  }
}

const types: Readonly<Record<LogicalType, RegExp>> = {
  boolean: /^(boolean|tinyint\(1\))$/,
  timestamp: /^(datetime|timestamp without time zone)/,
  real: /^(real|double)/,
  integer: /^(integer|int|bigint)\b/,
  // Where there is a type of its own for ids, what they are read as and written as is text.
  text: /^(text|longtext|varchar|character varying|uuid)/,
}

function logicalType({ table, name, type }: FoundColumn): LogicalType {
  const known = Object.entries(types).find(([, pattern]) => pattern.test(type.toLowerCase()))
  if (known === undefined) throw new Error(`${table}.${name} is ${type}, which not all engines have.`)
  return known[0] as LogicalType
}

/**
 * The condition, as each engine prints it in its own way, by the columns and literals that it names. That a column of the
 * key is not null is no condition: nulls are distinct.
 */
function conditionOf(key: FoundKey, columns: readonly FoundColumn[]): string | null {
  if (key.where === null) return null
  // MySQL escapes the quotes of the literals in an expression.
  const written = key.where.replaceAll('\\', '').toLowerCase()
  const literals = [...written.matchAll(/'([^']*)'/g)].map(([, literal]) => literal ?? '').sort()
  const bare = written.replaceAll(/'[^']*'/g, '').replaceAll(/[`"()]/g, '')
  const named = columns.filter(({ name }) => !key.columns.includes(name) && words(bare).includes(name))
  const terms = named.map(({ name }) => {
    const nullness = new RegExp(`\\b${name} (is (?:not )?null)\\b`).exec(bare)
    return `${name} ${nullness?.[1] ?? `in ${literals.join(', ')}`}`
  })
  return terms.length === 0 ? null : terms.join(' and ')
}

function words(text: string): string[] {
  return text.match(/\w+/g) ?? []
}
