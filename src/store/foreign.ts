/** Tables that are somebody else's: where an import reads from. Nothing is ever written there. */

import type { Store } from './store.ts'

/** A row as its driver hands it over, under the names of its columns. */
export type ForeignRow = Readonly<Record<string, unknown>>

export interface ForeignTables {
  readonly dialect: Store['dialect']
  /** A table or a view; `schema.table` where its engine has such. */
  hasTable(table: string): Promise<boolean>
  countRows(table: string): Promise<number>
  /** In the order of the first of these columns that the table has, a page at a time. */
  rowsOf(table: string, keys: readonly string[]): AsyncGenerator<readonly ForeignRow[]>
  close(): Promise<void>
}
