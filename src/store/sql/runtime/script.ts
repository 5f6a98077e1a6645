/**
 * A script is a transaction written once for every engine: a generator that yields statements and is handed their
 * results. SQLite runs it in one go, with no `await` inside its transaction; a server's driver awaits each statement.
 * A script may be run again from its start (a busy file, a deadlock, a key that somebody else took first), so it keeps no
 * state outside itself.
 */
export type Param = string | number | null | readonly Param[]
export type Row = Record<string, string | number | null>

export interface Statement {
  /**
   * Portable SQL: `?` for a parameter, `IN ?*` for a list that is one parameter, `@jobs` for the table `jobs` under the
   * engine's own prefix or schema, `?::bigint` and `?::uuid` where PostgreSQL cannot tell a parameter's type. `FOR UPDATE` and
   * `FOR SHARE` hold rows on a server; SQLite, where a writer is alone, leaves them out. The comment `lane` after a
   * table names the index for MySQL, which locks whatever it reads on its way to a row.
   */
  readonly text: string
  readonly params: readonly Param[]
  /** Rows, the count of rows changed, the id of the row inserted, or nothing but the rows' locks. */
  readonly wants: 'rows' | 'changes' | 'id' | 'locks'
  /**
   * It needs no transaction around it, so a server sends no BEGIN and COMMIT. `writes`: it is committed and stays, even if
   * the script throws later; that script is not run again. `reads`: what it saw may be gone when the transaction begins.
   * Both hold only before the transaction: the first step without this begins it, and a caller's has begun already. From
   * there on every step is part of the transaction.
   */
  readonly alone?: 'reads' | 'writes'
  /**
   * An UPDATE that others see at once, and whose caller need not wait until it is on disk: SQLite never does for a start,
   * PostgreSQL is told so, and MySQL cannot be told for one transaction.
   */
  readonly undurable?: true
  /** Only where finished executions have a table of their own: elsewhere there is nothing to do, and the answer is empty. */
  readonly apart?: true
}

/**
 * The columns that an insert writes, in order. PostgreSQL reads their values as arrays, and must be told of what; it alone
 * has types for ids, and for what is true or false. A `timestamp` is one of the leader log's, as its readable text.
 */
export type Columns<Name extends string = string> = Readonly<Record<Name, ColumnType>>

export type ColumnType = 'text' | 'number' | 'uuid' | 'real' | 'timestamp' | 'flag'

/** A row by the names of its columns: a value that is missing, misspelled or of the other type does not compile. */
export type RowOf<Written extends Columns> = {
  readonly [Name in keyof Written]: ValueOf<Written[Name]> | null
}

type ValueOf<Type extends ColumnType> = Type extends 'number' | 'real' | 'flag' ? number : string

/** Many rows into one table, by whatever form is the engine's fastest. */
export interface Insert {
  readonly into: string
  readonly columns: Columns
  readonly rows: readonly RowOf<Columns>[]
  /** The rows bring the numbers that the database would give them: PostgreSQL must be told that this is meant. */
  readonly numbered?: true
}

export type Step = Statement | Insert

/** The answer to a step: rows or a number, as it wants. Whoever yields the step knows which. */
export type Answer = Row[] & number

export type Script<T> = Generator<Step, T, Answer>

/** How many rows one step of long work reads at most: between steps others get their turn. */
export const pageRows = 1_000
/** The same where the database only counts them: on SQLite that is this process's time, too. */
export const countedRows = 10_000

export function* rows(text: string, ...params: Param[]): Script<Row[]> {
  return yield { text, params, wants: 'rows' }
}

export function* row(text: string, ...params: Param[]): Script<Row | null> {
  const answer: Row[] = yield { text, params, wants: 'rows' }
  return answer[0] ?? null
}

/** Rows read before the transaction begins: what they say may be gone by then. */
export function* look(text: string, ...params: Param[]): Script<Row[]> {
  return yield { text, params, wants: 'rows', alone: 'reads' }
}

/** Runs a write that needs no transaction around it, and returns its rows. */
export function* rowsAlone(text: string, ...params: Param[]): Script<Row[]> {
  return yield { text, params, wants: 'rows', alone: 'writes' }
}

/** Runs a write and returns how many rows it touched: the guard stands in the WHERE, and this count is believed. */
export function* run(text: string, ...params: Param[]): Script<number> {
  return yield change(text, ...params)
}

/** The step of `run`, to yield it by itself: for a write per row, where a generator for each takes as long as the write. */
export function change(text: string, ...params: Param[]): Statement {
  return { text, params, wants: 'changes' }
}

/** The same for a write that needs no transaction around it. */
export function* runAlone(text: string, ...params: Param[]): Script<number> {
  return yield { text, params, wants: 'changes', alone: 'writes' }
}

/** One row, by the names of its columns. */
export function* insertRow(into: string, row: Readonly<Record<string, Param>>): Script<void> {
  const names = Object.keys(row)
  const marks = names.map(() => '?').join(', ')
  yield* run(`INSERT INTO @${into} (${names.join(', ')}) VALUES (${marks})`, ...Object.values(row))
}

/** What an UPDATE sets; the values follow in the same order. */
export function setText(row: Readonly<Record<string, Param>>): string {
  return Object.keys(row)
    .map((name) => `${name} = ?`)
    .join(', ')
}

/** Runs an insert and returns the number that the database gave to its row. */
export function* insertedId(text: string, ...params: Param[]): Script<number> {
  return yield { text, params, wants: 'id' }
}

export function* insertAll<const Written extends Columns>(
  into: string,
  columns: Written,
  rows: readonly RowOf<Written>[],
): Script<void> {
  if (rows.length > 0) yield { into, columns, rows }
}

/** Holds rows for the rest of the transaction without reading them. */
export function* hold(text: string, ...params: Param[]): Script<void> {
  yield { text, params, wants: 'locks' }
}

export function isInsert(step: Step): step is Insert {
  return 'into' in step
}

/** The one place where an answer is taken for what its step wants. */
export function asAnswer(answer: readonly Row[] | number): Answer {
  return answer as Answer
}

/** Null for a step that needs a transaction. */
export function aloneOf(step: Step): 'reads' | 'writes' | null {
  return isInsert(step) ? null : (step.alone ?? null)
}

/** What a script needs beside SQL, given by the store. */
export interface ScriptContext {
  /** A new id for an execution that the script makes. */
  readonly newId: (now: number) => string
  /** `process.versions.tz`: which time zone data computed the ticks. */
  readonly tzVersion: string
}

/** PostgreSQL stores no NUL in text, so no engine does: it becomes the replacement character. */
export function plain(param: Param): Param {
  if (typeof param === 'string') return param.includes('\0') ? param.replaceAll('\0', '\uFFFD') : param
  return typeof param === 'object' && param !== null ? param.map(plain) : param
}
