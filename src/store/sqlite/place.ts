/** Where a database of SQLite is, as its URL says. */
import { sqlitePath } from '../store-url.ts'

export interface SqlitePlace {
  readonly path: string
  /** `:memory:`, or shared by the connections of this process: `file:/name?vfs=memdb`. It ends with the last of them. */
  readonly isInMemory: boolean
}

export function placeOf(url: string): SqlitePlace {
  const path = sqlitePath(url)
  return { path, isInMemory: path === ':memory:' || /[?&]vfs=memdb(?:&|$)/.test(path) }
}
