/** A table of a backup, and its columns by their types. */
import type { Columns } from '../runtime/script.ts'

export interface BackedUpTable {
  readonly name: string
  /** Its rows are read and written in the order of these columns, which are unique. */
  readonly key: readonly string[]
  /** In the order of the file. */
  readonly columns: Columns
  /** Which of its rows; all where it says nothing. */
  readonly where?: string
  /** Columns that no backup holds: `write-tables` fills them in. */
  readonly without?: readonly string[]
}

export function text(names: string): Columns {
  return columnsOf(names, 'text')
}

export function uuid(names: string): Columns {
  return columnsOf(names, 'uuid')
}

export function number(names: string): Columns {
  return columnsOf(names, 'number')
}

export function real(names: string): Columns {
  return columnsOf(names, 'real')
}

export function timestamp(names: string): Columns {
  return columnsOf(names, 'timestamp')
}

export function flag(names: string): Columns {
  return columnsOf(names, 'flag')
}

function columnsOf(names: string, type: Columns[string]): Columns {
  return Object.fromEntries(names.split(' ').map((name) => [name, type]))
}
