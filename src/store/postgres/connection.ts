/** Connections of `pg`, the only file that imports it. PostgreSQL's own: `isPooled` and `openListener`. */
import type pg from 'pg'
import type { ClientConfig, CustomTypesConfig, Client as PgClient } from 'pg'
import type { Host } from '../host.ts'
import { inTime } from '../in-time.ts'
import { keepAsking } from '../keep-asking.ts'
import { loadDriver } from '../load-driver.ts'
import { fieldsOf } from '../sql/runtime/dialect.ts'
import { ServerFailure } from '../sql/runtime/server-session.ts'
import { type Connections, connectMs, keepAliveMs, socketOf } from '../sql/runtime/session-pool.ts'
import type { PostgresPlace } from './place.ts'
import { planOnce } from './plans.ts'

export type PostgresPackage = typeof pg
export type Client = PgClient

export async function loadPostgres(): Promise<PostgresPackage> {
  const { default: pg } = await loadDriver('pg', () => import('pg'))
  return pg
}

/** How long a goodbye waits for its answer. */
const endMs = 1_000

/** OIDs of the types that our columns have: numbers as numbers, our timestamps as they are written. */
const int8 = 20
const numeric = 1700
const bool = 16
const timestamp = 1114

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [int8]: Number,
  [numeric]: Number,
  [bool]: (text) => (text === 't' ? 1 : 0),
  [timestamp]: (text) => text,
}

function types(pg: PostgresPackage): CustomTypesConfig {
  const others = pg.types.getTypeParser as (oid: number, format?: 'text' | 'binary') => unknown
  return { getTypeParser: (oid: number, format?: 'text' | 'binary') => parsers[oid] ?? others(oid, format) }
}

function configOf(pg: PostgresPackage, url: string): ClientConfig {
  return {
    connectionString: url,
    types: types(pg),
    application_name: 'evertick',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
  }
}

function newClient(pg: PostgresPackage, url: string, onError: (client: Client) => void = () => {}): Client {
  const client = new pg.Client(configOf(pg, url))
  // Without a listener the event would end the process.
  client.on('error', () => onError(client))
  return client
}

const checkText = 'SELECT 1'

export interface PostgresServer extends PostgresPlace {
  /** A pooler in transaction mode stands before the server: nothing of a session outlives its transaction. */
  readonly pooled: boolean
}

/** For a pool. */
export function connectionsTo(
  pg: PostgresPackage,
  { url, pooled }: PostgresServer,
  host: Host,
): Connections<Client> {
  return {
    async open(onLost) {
      const client = newClient(pg, url, onLost)
      await connected(client, host, pooled ? checkText : planOnce)
      return client
    },
    check: async (client) => await client.query(checkText),
    end: async (client) => await client.end(),
    destroy,
  }
}

/** Waits for a first answer: behind a pooler whose server is down, a connection alone says little. */
async function connected(client: Client, host: Host, first: string): Promise<void> {
  try {
    await client.connect()
    await inTime(host, connectMs, client.query(first))
  } catch (error) {
    destroy(client)
    throw error
  }
}

/** The driver's own `end` says goodbye first, and waits for an answer. */
function destroy(client: Client): void {
  socketOf(client).destroy()
}

type CallerQuery = (text: string, params: readonly unknown[]) => Promise<unknown>

/** A caller's own client of `pg`, or a pool's; null for anything else. */
export function ofCaller(transaction: object): CallerQuery | null {
  const { query, connection, processID } = fieldsOf(transaction)
  const isClient = typeof query === 'function' && (connection !== undefined || processID !== undefined)
  return isClient
    ? async (text, params): Promise<unknown> => await query.call(transaction, text, [...params])
    : null
}

/** Whether a pooler stands between us and the server: then nothing outlives a transaction, not even a prepared statement. */
export async function isPooled(pg: PostgresPackage, url: string, host: Host): Promise<boolean> {
  const client = newClient(pg, url)
  try {
    await client.connect()
    const asked = client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const { rows } = await inTime(host, connectMs, asked)
    // A pooler hands out a key of its own.
    return rows[0]?.pid !== fieldsOf(client).processID
  } catch (error) {
    throw new ServerFailure(error)
  } finally {
    await ended(client, host)
  }
}

async function ended(client: Client, host: Host): Promise<void> {
  await inTime(host, endMs, client.end()).catch(() => destroy(client))
}

/** A connection of its own that hears notifications. `onEnd` is called once, if it was open and broke. */
export async function openListener(
  pg: PostgresPackage,
  { url, channel, host }: { readonly url: string; readonly channel: string; readonly host: Host },
  { onMessage, onEnd }: { readonly onMessage: (payload: string) => void; readonly onEnd: () => void },
): Promise<{ close(): Promise<void> }> {
  const client = newClient(pg, url)
  client.on('notification', ({ payload }) => onMessage(payload ?? ''))
  await connected(client, host, `LISTEN "${channel}"`)
  const stopAsking = keepAsking(
    host,
    () => client.query(checkText),
    () => destroy(client),
  )
  const lost = () => {
    stopAsking()
    onEnd()
  }
  client.once('end', lost)
  return {
    async close() {
      client.off('end', lost)
      stopAsking()
      await ended(client, host)
    },
  }
}
