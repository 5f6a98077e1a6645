/**
 * A script is a transaction written once for every engine: a generator that yields statements and is handed their
 * results. SQLite runs it in one go, with no `await` inside its transaction; a server's driver awaits each statement.
 * A script may be run again from its start (a busy file, a deadlock), so it keeps no state outside itself.
 */
export type Param = string | number | null
export type Row = Record<string, string | number | null>

export interface Statement {
  /** Portable SQL: `?` for parameters, `@jobs` for the table `jobs` under the engine's own prefix or schema. */
  readonly text: string
  readonly params: readonly Param[]
  /** Whether rows are wanted, or the count of rows changed. */
  readonly wants: 'rows' | 'changes'
}

export type Script<T> = Generator<Statement, T, Row[] & number>

export function* rows(text: string, ...params: Param[]): Script<Row[]> {
  return yield { text, params, wants: 'rows' }
}

export function* row(text: string, ...params: Param[]): Script<Row | null> {
  const found: Row[] = yield { text, params, wants: 'rows' }
  return found[0] ?? null
}

/** Runs a write and returns how many rows it touched: the guard stands in the WHERE, and this count is believed. */
export function* run(text: string, ...params: Param[]): Script<number> {
  return yield { text, params, wants: 'changes' }
}

/** `(?, ?, ?)` for n parameters. Texts with few distinct sizes stay few in the statement cache. */
export function marks(count: number): string {
  return `(${Array.from({ length: count }, () => '?').join(', ')})`
}

/** What a script needs beside SQL, given by the store. */
export interface ScriptContext {
  /** A new id for an execution that the script makes. */
  readonly newId: (now: number) => string
  /** `process.versions.tz`: which time zone data computed the ticks. */
  readonly tzVersion: string
}
