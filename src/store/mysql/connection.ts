/** Connections of `mysql2`, the only file that imports it, all set up in the same way. MySQL's own: `serverFacts`. */
import type * as mysql2 from 'mysql2/promise'
import type { Connection, ConnectionOptions, RowDataPacket } from 'mysql2/promise'
import { loadDriver } from '../load-driver.ts'
import { fieldsOf } from '../sql/runtime/dialect.ts'
import { ServerFailure, type SessionLimits } from '../sql/runtime/server-session.ts'
import { type Connections, connectMs, keepAliveMs, restMsOf, socketOf } from '../sql/runtime/session-pool.ts'
import type { MysqlPlace } from './place.ts'

export type MysqlPackage = typeof mysql2
export type Client = Connection

export async function loadMysql(): Promise<MysqlPackage> {
  return await loadDriver('mysql2', () => import('mysql2/promise'))
}

function optionsOf({ address: { ssl, ...address } }: MysqlPlace): ConnectionOptions {
  return {
    ...address,
    ...(ssl === null ? {} : { ssl: { ...ssl } }),
    charset: 'utf8mb4',
    // A DATETIME as it is written, and a Date that a user passes in the same zone as the session's.
    dateStrings: true,
    timezone: 'Z',
    supportBigNumbers: true,
    decimalNumbers: true,
    // No file of this host is the server's business. (FOUND_ROWS, by which an UPDATE counts what it matched, is a default.)
    flags: ['-LOCAL_FILES'],
    connectTimeout: connectMs,
    enableKeepAlive: true,
    keepAliveInitialDelay: keepAliveMs,
    // A stack trace for every statement is a tenth of its cost.
    trace: false,
  }
}

/**
 * Whatever the server's defaults are. The modes and the character set are what makes the driver's escaping sound: no
 * NO_BACKSLASH_ESCAPES. Only MariaDB knows a limit for transactions that rest; MySQL reads a comment.
 */
function setUpText(restMs: number): string {
  const seconds = Math.ceil(restMs / 1_000)
  return `
  SET NAMES utf8mb4, SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', SESSION time_zone = '+00:00',
    SESSION autocommit = 1 /*M!100300 , SESSION idle_transaction_timeout = ${seconds} */`
}
const isolationText = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED'

/** The server gives up a locked row before the client gives up the connection. */
function lockWaitText(answerMs: number): string {
  return `SET SESSION innodb_lock_wait_timeout = ${Math.min(10, Math.ceil(answerMs / 2_000))}`
}

/** For a pool. */
export function connectionsTo(
  mysql: MysqlPackage,
  place: MysqlPlace,
  limits: SessionLimits,
): Connections<Client> {
  return {
    async open(onLost) {
      const client = await mysql.createConnection(optionsOf(place))
      // Without a listener the event would end the process.
      client.on('error', () => onLost(client))
      return await setUp(client, limits)
    },
    check: async (client) => await client.ping(),
    async end(client) {
      await client.end()
      socketOf(client).unref()
    },
    destroy,
  }
}

async function setUp(client: Client, limits: SessionLimits): Promise<Client> {
  const { answerMs, transactionMs } = limits
  const own = transactionMs === null && answerMs !== null ? [lockWaitText(answerMs)] : []
  const texts = [setUpText(restMsOf(limits)), isolationText, ...own]
  try {
    for (const sql of texts) await client.query({ sql, timeout: connectMs })
    return client
  } catch (error) {
    destroy(client)
    throw error
  }
}

/** The driver's own `destroy` only says goodbye, and waits for an answer. */
function destroy(client: Client): void {
  client.destroy()
  socketOf(client).destroy()
}

interface PromisedConnection {
  query(options: CallerOptions): Promise<unknown>
}

interface CallerOptions {
  readonly sql: string
  readonly values: readonly unknown[]
  readonly rowsAsArray: false
  readonly nestTables: false
  readonly typeCast: true
}

type CallerQuery = (text: string, params: readonly unknown[]) => Promise<unknown>

/** A caller's own connection of mysql2, with promises or with callbacks; null for anything else. */
export function ofCaller(transaction: object): CallerQuery | null {
  const connection = promised(transaction)
  if (connection === null) return null
  // Its owner may have set other shapes for its own rows.
  const shape = { rowsAsArray: false, nestTables: false, typeCast: true } as const
  return async (sql, values) => await connection.query({ sql, values, ...shape })
}

function promised(value: object): PromisedConnection | null {
  const { promise, connection, threadId } = fieldsOf(value)
  if (typeof promise === 'function' && threadId !== undefined)
    return promise.call(value) as PromisedConnection
  const wraps = typeof connection === 'object' && connection !== null && 'threadId' in connection
  return wraps ? (value as PromisedConnection) : null
}

/** What the server says of itself. */
export interface ServerFacts {
  /** `10.11.6-MariaDB-1`, `8.0.36`. */
  readonly version: string
  /** `max_allowed_packet`: it hangs up on a statement that is longer. */
  readonly packetBytes: number
}

const factsText = 'SELECT VERSION() AS version, @@max_allowed_packet AS packetBytes'

export async function serverFacts(mysql: MysqlPackage, place: MysqlPlace): Promise<ServerFacts> {
  try {
    const client = await mysql.createConnection(optionsOf(place))
    client.on('error', () => {})
    try {
      const [[facts]] = await client.query<(RowDataPacket & ServerFacts)[]>({
        sql: factsText,
        timeout: connectMs,
      })
      await client.end()
      return { version: String(facts?.version), packetBytes: Number(facts?.packetBytes) }
    } catch (error) {
      destroy(client)
      throw error
    }
  } catch (error) {
    throw new ServerFailure(error)
  }
}
