/** Somebody else's tables in a SQLite file, which is opened for reading only. */
import type { ForeignTables } from '../foreign.ts'
import { foreignTables, qualified } from '../sql/foreign-tables.ts'
import { withMeaning } from '../sql/runtime/dialect.ts'
import { row } from '../sql/runtime/script.ts'
import { readOnlyConnectionTo } from './connection.ts'
import { meaningOf } from './dialect.ts'
import { placeOf } from './place.ts'
import { SqliteSession } from './session.ts'

export async function openSqliteForeign(url: string): Promise<ForeignTables> {
  const { path } = placeOf(url)
  const classified = (error: unknown) => withMeaning(error, meaningOf(error), path)
  try {
    const session = new SqliteSession(readOnlyConnectionTo(path))
    return foreignTables({
      dialect: 'sqlite',
      read: async (script) => {
        try {
          return session.run(script())
        } catch (error) {
          throw classified(error)
        }
      },
      *find(name, schema) {
        const text = `SELECT 1 AS one FROM sqlite_master WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE`
        return (yield* row(text, name)) === null ? null : qualified(name, schema)
      },
      close: async () => session.close(),
    })
  } catch (error) {
    throw classified(error)
  }
}
