/** A server as the explorer needs it: scenes kept beside the tables, the rows as they stand, and who waits. */
import mysql, { type RowDataPacket } from 'mysql2/promise'
import pg from 'pg'
import { plainTypes } from '../store/postgres-store.ts'
import type { ServerParts } from '../store/races/gate.ts'
import type { Waits } from './conductor.ts'

export type Row = Readonly<Record<string, unknown>>
/** All rows, by table. */
export type Tables = Readonly<Record<string, readonly Row[]>>

export interface ExploredServer {
  readonly parts: ServerParts
  /** Keeps the present rows under a name. */
  keep(scene: string): Promise<void>
  /** Puts kept rows back, and nothing else; without a name, no row at all. */
  restore(scene: string | null): Promise<void>
  /** Throws where an execution is in both tables of executions, or in the wrong one. */
  rows(): Promise<Tables>
  /** Holds executions as another transaction would, while something runs. */
  holding<T>(ids: readonly string[], run: () => Promise<T>): Promise<T>
  readonly waits: Waits
  /** Whether it still has this connection: as long as it has, a transaction on it may go on. */
  readonly has: (connectionId: number) => Promise<boolean>
  close(): Promise<void>
}

/** Many statements in one round trip, each with its rows. */
interface Door {
  ask(texts: readonly string[]): Promise<Row[][]>
  close(): Promise<void>
}

interface Kind {
  /** Every table of ours, and the columns that are written, not computed. */
  readonly columnsText: string
  /** The unfinished and the finished executions, where they are not in one table. */
  readonly executions: readonly [live: string, finished: string] | []
  /** A row of its own for each connection. */
  readonly connections: string
  readonly table: (name: string) => string
  readonly kept: (scene: string, name: string) => string
  readonly overriding: string
  /** Among others: from where on the numbers count that a database gives to terms and to entries of the audit log. */
  readonly prepare: readonly string[]
}

/** Numbers in these millions are a term's or an entry's, and nothing else is: see outcome.ts. */
const terms = 7_000_000
const entries = 8_000_000

const postgresKind: Kind = {
  columnsText: `SELECT table_name AS name, column_name AS "column" FROM information_schema.columns
    WHERE table_schema = 'evertick' AND table_name IN (SELECT tablename FROM pg_tables) ORDER BY ordinal_position`,
  executions: ['live_executions', 'finished_executions'],
  connections: 'SELECT pid AS id FROM pg_stat_activity',
  table: (name) => `evertick.${name}`,
  kept: (scene, name) => `kept."${scene}_${name}"`,
  overriding: 'OVERRIDING SYSTEM VALUE',
  prepare: [
    // Two that wait for each other are told so at once.
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 10', current_database()); END $$`,
    'CREATE SCHEMA kept',
    `ALTER TABLE evertick.scheduler_leader_log ALTER id SET START ${terms} RESTART`,
    `ALTER TABLE evertick.audit_log ALTER id SET START ${entries} RESTART`,
  ],
}

const mysqlKind: Kind = {
  columnsText: `SELECT table_name AS name, column_name AS \`column\` FROM information_schema.columns
    WHERE table_schema = DATABASE() AND is_generated = 'NEVER' AND table_name NOT LIKE 'kept%'
      AND table_name IN (SELECT t.table_name FROM information_schema.tables t
        WHERE t.table_schema = DATABASE() AND t.table_type = 'BASE TABLE')
    ORDER BY ordinal_position`,
  executions: [],
  connections: 'SELECT id FROM information_schema.processlist',
  table: (name) => name,
  kept: (scene, name) => `\`kept_${scene}_${name}\``,
  overriding: '',
  prepare: [
    `ALTER TABLE scheduler_leader_log AUTO_INCREMENT = ${terms}`,
    `ALTER TABLE evertick_audit_log AUTO_INCREMENT = ${entries}`,
  ],
}

export async function postgresServer(url: string, parts: ServerParts): Promise<ExploredServer> {
  const open = async (): Promise<Door> => {
    const client = new pg.Client({ connectionString: url, types: plainTypes })
    await client.connect()
    return {
      async ask(texts) {
        const answer: unknown = await client.query(texts.join(';'))
        return [answer].flat().map((one) => (one as { rows: Row[] }).rows)
      },
      close: async () => await client.end(),
    }
  }
  const waits = async (door: Door, id: number) => {
    const [found] = await door.ask([`SELECT cardinality(pg_blocking_pids(${id})) AS blockers`])
    return Number(found?.[0]?.['blockers']) > 0
  }
  return await serverOf(parts, postgresKind, open, waits)
}

export async function mysqlServer(url: string, parts: ServerParts): Promise<ExploredServer> {
  const open = async (): Promise<Door> => {
    const connection = await mysql.createConnection({ uri: url, multipleStatements: true, dateStrings: true })
    return {
      async ask(texts) {
        const [answer] = await connection.query<RowDataPacket[][]>(texts.join(';'))
        return texts.length === 1 ? [answer as unknown as Row[]] : answer
      },
      close: async () => await connection.end(),
    }
  }
  // What information_schema shows of transactions is up to 100 ms old; this is of now.
  const waits = async (door: Door, id: number) => {
    const [found] = await door.ask(['SHOW ENGINE INNODB STATUS'])
    const transactions = String(found?.[0]?.['Status']).split('---TRANSACTION ')
    const own = transactions.find((text) => new RegExp(`thread id ${id},`).test(text))
    return own?.includes('LOCK WAIT') ?? false
  }
  return await serverOf(parts, mysqlKind, open, waits)
}

async function serverOf(
  parts: ServerParts,
  kind: Kind,
  open: () => Promise<Door>,
  waits: (door: Door, id: number) => Promise<boolean>,
): Promise<ExploredServer> {
  const [door, holder] = [await open(), await open()]
  for (const text of kind.prepare) await door.ask([text])
  const [columns = []] = await door.ask([kind.columnsText])
  const tables = [...Map.groupBy(columns, ({ name }) => String(name))]
    .filter(([name]) => !name.endsWith('migrations'))
    .map(([name, own]) => ({ name, columns: own.map(({ column }) => String(column)).join(', ') }))
  const [live = tables.find(({ name }) => name.endsWith('job_executions'))?.name ?? ''] = kind.executions
  const parted = new Set<string>(kind.executions)
  const shown = tables.map(({ name }) => name).filter((name) => !parted.has(name))
  if (parted.size > 0) shown.push('job_executions')
  const misplaced = misplacedText(kind)
  return {
    parts,
    async keep(scene) {
      for (const { name, columns } of tables) {
        const kept = kind.kept(scene, name)
        await door.ask([`CREATE TABLE ${kept} AS SELECT ${columns} FROM ${kind.table(name)}`])
      }
    },
    async restore(scene) {
      const emptied = tables.map(({ name }) => `DELETE FROM ${kind.table(name)}`)
      const put = tables.map(
        ({ name, columns }) =>
          `INSERT INTO ${kind.table(name)} (${columns}) ${kind.overriding} SELECT * FROM ${kind.kept(scene ?? '', name)}`,
      )
      await door.ask(['BEGIN', ...emptied, ...(scene === null ? [] : put), 'COMMIT'])
    },
    async rows() {
      const texts = shown.map((name) => `SELECT * FROM ${kind.table(name)}`)
      const [wrong, ...found] = await door.ask([misplaced, ...texts])
      if (wrong?.length !== 0) throw new Error(`These are in the wrong table: ${JSON.stringify(wrong)}`)
      const rows = Object.fromEntries(
        shown.map((name, index) => [name.replace('evertick_', ''), found[index] ?? []]),
      )
      assertOnce(rows['job_executions'] ?? [])
      return rows
    },
    async holding(ids, run) {
      const list = ids.map((id) => `'${id}'`).join(', ')
      await holder.ask(['BEGIN'])
      await holder.ask([`SELECT id FROM ${kind.table(live)} WHERE id IN (${list}) FOR UPDATE`])
      try {
        return await run()
      } finally {
        await holder.ask(['ROLLBACK'])
      }
    },
    waits: async (id) => await waits(door, id),
    async has(id) {
      const [found] = await door.ask([`SELECT id FROM (${kind.connections}) c WHERE id = ${id}`])
      return found?.length === 1
    },
    async close() {
      await door.close()
      await holder.close()
    },
  }
}

const final = `('completed', 'failed', 'cancelled')`

/** Executions whose state says that they belong into the other table. */
function misplacedText({ executions: [live, finished], table }: Kind): string {
  if (live === undefined || finished === undefined) return 'SELECT 1 AS id WHERE 1 = 0'
  return `SELECT id, state FROM ${table(live)} WHERE state IN ${final}
    UNION ALL SELECT id, state FROM ${table(finished)} WHERE state NOT IN ${final}`
}

/** A row that ends leaves the one table as it enters the other. */
function assertOnce(executions: readonly Row[]): void {
  const ids = new Set(executions.map(({ id }) => id))
  if (ids.size !== executions.length) throw new Error('An execution is unfinished and finished at once.')
}
