/**
 * A server's store whose every statement, BEGIN and COMMIT included, is a numbered step that somebody watches. What is
 * watched is the driver's own connection: the product has no switch for it.
 */
import { processHost } from '../../src/store/host.ts'
import { ServerDriver } from '../../src/store/sql/runtime/server-driver.ts'
import type { ServerEngine } from '../../src/store/sql/runtime/server-session.ts'
import { createSqlStore } from '../../src/store/sql/sql-store.ts'
import type { Store } from '../../src/store/store.ts'
import { scriptContext } from '../store/builders.ts'
import type { ServerParts } from '../store/races/gate.ts'

export interface Watcher {
  /** Once for each connection, before the first step on it. */
  connected(connectionId: number): void
  /** Sends the step, and says what the server answered. */
  step<T>(nth: number, send: () => Promise<T>): Promise<T>
}

/** What the clients of both drivers have in common. */
interface Client {
  query(asked: unknown, ...more: unknown[]): Promise<unknown>
  /** Of pg. */
  readonly processID?: number
  /** Of mysql2. */
  readonly threadId?: number
}

export function watchedStore({ engine, hot, dialect }: ServerParts, watcher: Watcher): Store {
  let steps = 0
  const watched = new WeakSet<Client>()
  /** From the moment that it is handed out: what a pool asks of a new connection belongs to no verb. */
  const watch = (client: Client): void => {
    if (watched.has(client)) return
    watched.add(client)
    watcher.connected(client.processID ?? client.threadId ?? 0)
    const query = client.query.bind(client)
    client.query = async (asked, ...more) => {
      steps += 1
      return await watcher.step(steps, async () => await query(asked, ...more))
    }
  }
  const watchedEngine: ServerEngine = {
    ...engine,
    openPool: (size, limits) => {
      const pool = engine.openPool(size, limits)
      return {
        acquire: async (options) => {
          const session = await pool.acquire(options)
          watch(session.client as Client)
          return session
        },
        close: async (graceMs) => await pool.close(graceMs),
      }
    },
  }
  const driver = new ServerDriver(watchedEngine, processHost, { pulse: 1, work: 1, handlers: 1 })
  return createSqlStore(dialect, driver, hot(), scriptContext('watched'))
}
