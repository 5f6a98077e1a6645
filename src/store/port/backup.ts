/** All rows of the logical schema, read at one moment and written in one transaction, in one form for all engines. */
import type { ChangeContext } from './jobs.ts'

export interface BackupStore {
  /** Hands `work` a reader of one moment, whatever is written meanwhile. */
  readTables<T>(work: (reader: TableReader) => Promise<T>): Promise<T>
  /** What a backup's rows are made of, to check them before anything is written. */
  describeTables(): Promise<TableForms>
  /** Whether a restore would meet somebody's work, or somebody at work. */
  findOccupants(seenSince: number): Promise<Occupants>
  /** Ids of nodes that were seen lately, also of a database that is being moved. */
  findLiveNodes(seenSince: number): Promise<readonly string[]>
  /** Where this database was moved to, or is being moved. */
  findMove(): Promise<MoveMark | null>
  /**
   * From here on no node starts on this database, and those that run stop. Returns the mark that is there already, if there is
   * one: decided by its key.
   */
  markMoved(mark: Pick<MoveMark, 'id' | 'to'>, context: ChangeContext): Promise<MoveMark>
  /** From here on nobody can read or write a row of a backup, but `readTables`. */
  putTablesAside(): Promise<void>
  /** All as it was before the move. */
  takeBack(context: ChangeContext): Promise<void>
  /**
   * Replaces all rows by those that `fill` writes, or none if anything fails. Whoever still works by what was there is
   * refused afterwards: fences and terms have moved on, and leases have ended. What decides between two that restore at once
   * is the key of the first row that both write.
   */
  replaceTables(request: ReplaceRequest, fill: (writer: TableWriter) => Promise<void>): Promise<void>
}

export interface TableForms {
  /** The newest migration that the database has. */
  readonly schemaVersion: number
  readonly tables: readonly TableForm[]
}

export interface TableForm {
  readonly name: string
  readonly columns: Readonly<Record<string, 'text' | 'number'>>
}

export interface BackupTable {
  readonly name: string
  readonly columns: readonly string[]
}

export interface CountedTable extends BackupTable {
  readonly rows: number
}

/** In the order of the table's columns. Instants are milliseconds, JSON is text. */
export type BackupRow = readonly BackupValue[]
export type BackupValue = string | number | null

export interface TableReader {
  /** The newest migration that the database has. */
  readonly schemaVersion: number
  tables(): Promise<CountedTable[]>
  /** In the order of the table's key, a page at a time. */
  rowsOf(table: BackupTable): AsyncGenerator<BackupRow[]>
}

export interface TableWriter {
  write(table: BackupTable, rows: readonly BackupRow[]): Promise<void>
}

export interface Occupants {
  readonly jobs: number
  /** Ids of nodes that were seen lately. */
  readonly nodes: readonly string[]
}

export interface MoveMark {
  readonly id: string
  /** A URL without its secrets. */
  readonly to: string
  readonly at: number
}

export interface ReplaceRequest {
  /** What the audit log calls it. */
  readonly action: 'database.restore' | 'database.moved'
  readonly context: ChangeContext
  /** Refused where there are jobs, or nodes that were seen since; null: whatever there is. */
  readonly unlessOccupiedSince: number | null
  /** What the entry of the audit log says of where the rows come from. */
  readonly source: Readonly<Record<string, string | number>>
}
