/** What a measure asks of a database, whichever engine it is. Each engine has a file of this shape, and one for its raw limit. */

export const engineNames = ['sqlite', 'postgres', 'mysql'] as const
export type EngineName = (typeof engineNames)[number]
/** As people read them. */
export const engineLabels = { sqlite: 'SQLite', postgres: 'PostgreSQL', mysql: 'MariaDB' } as const

export interface Engine {
  readonly name: EngineName
  /** In the engine's own SQL: its version, and what a commit promises. */
  readonly settingsText: string
  createDatabase(): Promise<ScratchDatabase>
  /** Ends the server that was started for it. */
  close(): Promise<void>
}

/** Lives as long as one round. */
export interface ScratchDatabase {
  /** For `Evertick.open`. */
  readonly url: string
  /** A connection beside Evertick's own, with the same settings: for fixtures, and for the raw limit. */
  connect(): Promise<Connection>
  drop(): Promise<void>
}

export type Value = string | number | null
export type Row = Record<string, Value>

export interface Connection {
  /** The shortest loops over the same table of executions. */
  readonly raw: RawExecutions
  /** Portable SQL: `?` for a parameter, `@jobs` for a table. */
  rows(text: string, ...params: Value[]): Promise<Row[]>
  /** A text as the value of an id, in the engine's SQL. */
  asId(text: string): string
  /** The columns of a table that an INSERT may name. */
  columnsOf(table: string): Promise<string[]>
  insert(into: string, columns: readonly string[], rows: readonly (readonly Value[])[]): Promise<void>
  /** The table where an INSERT makes executions. */
  readonly executions: string
  /** Takes executions that were made as finished to where those are kept. */
  keepFinished(): Promise<void>
  /** Does now what the database would do in the next quiet minute, so that it does not do it while we measure. */
  settle(): Promise<void>
  /** What the server has counted so far; null where there is none. */
  counters(): Promise<Counters | null>
  close(): Promise<void>
}

export interface Counters {
  /** What was asked of it: transactions on PostgreSQL, statements on MariaDB. */
  readonly asked: number
  readonly deadlocks: number
}

/**
 * The raw limit: the same rows in the same table with the same indexes, by the shortest loop over the driver that keeps
 * history and fences. No jobs, no input check, no events, no promise per execution.
 */
export interface RawExecutions {
  /** `count` rows, `batch` of them in each transaction. */
  insert(count: number, batch: number): Promise<void>
  /** Claims and finishes all there is, `batch` rows in each transaction, one after the other; returns how many. */
  drain(batch: number): Promise<number>
}
