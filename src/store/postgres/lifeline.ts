/** Lifelines of PostgreSQL: a session's advisory lock. It can be looked at through a pooler, but not be held through one. */
import type { Host } from '../host.ts'
import { keepLifelines, type Lifelines, noLifelines } from '../lifeline.ts'
import type { SqlDriver } from '../sql/runtime/driver.ts'
import { row } from '../sql/runtime/script.ts'
import { pulse } from '../sql/runtime/scripts.ts'
import { tieToServer } from '../sql/runtime/server-lifeline.ts'
import type { LifelineState } from '../store.ts'
import { connectionsTo, type PostgresPackage, type PostgresServer } from './connection.ts'

/** Shared, so that two who look do not see each other; for this statement only, so that it is gone when it answers. */
const checkText = 'SELECT pg_try_advisory_xact_lock_shared(?::bigint) AS free'

/** `server` is null where every way to it leads through a pooler. */
export function postgresLifelines(
  pg: PostgresPackage,
  server: PostgresServer | null,
  driver: SqlDriver,
  host: Host,
): Lifelines {
  const check = async (name: string): Promise<LifelineState> => {
    const found = await driver.read(() => row(checkText, name), pulse)
    return found?.free === 1 ? 'free' : 'held'
  }
  if (server === null) return { ...noLifelines, check }
  const parts = {
    connections: connectionsTo(pg, server, host),
    async lock(client: { query(text: string, values: string[]): Promise<unknown> }) {
      // Random, since the keys of a database are shared with whatever else uses it.
      const name = String(Math.floor(host.random() * 2 ** 52))
      await client.query('SELECT pg_advisory_lock($1)', [name])
      return name
    },
    host,
  }
  return keepLifelines({ tie: async (onCut) => await tieToServer(parts, onCut), check }, host)
}
