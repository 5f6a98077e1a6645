/** From a URL to a store: the only file that knows which engines there are. Each is loaded when it is asked for. */
import { EvertickError } from '../core/error.ts'
import { type Host, processHost } from './host.ts'
import type { Migrator } from './migrate.ts'
import type { ScriptContext } from './sql/script.ts'
import type { Store } from './store.ts'

export interface OpenedStore {
  readonly store: Store
  readonly migrator: Migrator
}

export async function openStore(
  url: string,
  context: ScriptContext,
  host: Host = processHost,
): Promise<OpenedStore> {
  if (url.startsWith('sqlite:')) {
    const { openSqlite } = await import('./sqlite/open.ts')
    return openSqlite(sqlitePath(url), context, host)
  }
  throw new EvertickError(
    'unsupported_database',
    `Evertick does not know the database "${withoutSecrets(url)}".`,
    {
      field: 'database',
      next: 'Use sqlite:path/to/file.db, or sqlite::memory:.',
    },
  )
}

/** `sqlite:data/app.db`, `sqlite:/var/lib/app.db`, `sqlite:///var/lib/app.db`, `sqlite::memory:`. */
export function sqlitePath(url: string): string {
  const path = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')
  if (path === '') {
    throw new EvertickError('unsupported_database', 'The SQLite URL names no file.', {
      field: 'database',
      next: 'Write sqlite:evertick.db, or sqlite::memory: for a database that is gone at exit.',
    })
  }
  return path
}

function withoutSecrets(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//…@')
}
