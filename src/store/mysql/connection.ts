/** Connections of `mysql2`, the only file that imports it: pooled sessions, all of them set up in the same way. */
import type { Socket } from 'node:net'
import type * as mysql2 from 'mysql2/promise'
import type { Connection, ConnectionOptions } from 'mysql2/promise'
import type { Host } from '../host.ts'
import { inTime } from '../in-time.ts'
import { loadDriver } from '../load-driver.ts'
import { ConnectionPool } from '../sql/runtime/connection-pool.ts'
import type { Dialect } from '../sql/runtime/dialect.ts'
import type { Dialer } from '../sql/runtime/dialer.ts'
import { answerOf } from '../sql/runtime/queryable.ts'
import type { Step } from '../sql/runtime/script.ts'
import {
  ServerFailure,
  type Session,
  type SessionLimits,
  type SessionPool,
} from '../sql/runtime/server-session.ts'
import { endsTransaction } from './dialect.ts'

export type MysqlDriver = typeof mysql2

export async function loadMysql(): Promise<MysqlDriver> {
  return await loadDriver('mysql2', () => import('mysql2/promise'))
}

const connectMs = 5_000
/** A connection that rests is kept in the memory of firewalls, and found out where its other end is gone. */
const keepAliveMs = 30_000

/** Where the server is and who asks, taken from the URL. */
export interface MysqlAddress {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  readonly ssl: MysqlTls | null
}

export interface MysqlTls {
  readonly rejectUnauthorized: boolean
  readonly verifyIdentity: boolean
  readonly ca?: string
}

function optionsOf({ ssl, ...address }: MysqlAddress): ConnectionOptions {
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
    // A stack for every statement is a tenth of its cost.
    trace: false,
  }
}

/**
 * How long a transaction of ours may rest between two statements before the server ends it and sets its rows free. Ours
 * never rest: who is silent for so long was stopped, or is cut off, and without this nobody could lead until it is back.
 * A handler may, up to the deadline of its transaction. Only MariaDB knows such a limit; MySQL reads a comment.
 */
const ownRestMs = 5_000

/**
 * Whatever the server's defaults are. The modes and the character set are what makes the driver's escaping sound: no
 * NO_BACKSLASH_ESCAPES.
 */
function setUpText(restMs: number): string {
  const seconds = Math.ceil(restMs / 1_000)
  return `
  SET NAMES utf8mb4, SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', SESSION time_zone = '+00:00',
    SESSION autocommit = 1 /*M!100300 , SESSION idle_transaction_timeout = ${seconds} */`
}
const isolationText = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED'

/** A row that stays locked is told of by the server, before the client would give up the connection. */
function lockWaitText(answerMs: number): string {
  return `SET SESSION innodb_lock_wait_timeout = ${Math.min(10, Math.ceil(answerMs / 2_000))}`
}

/** What the server says of itself. */
export interface ServerFacts {
  /** `10.11.6-MariaDB-1`, `8.0.36`. */
  readonly version: string
  /** `max_allowed_packet`: it hangs up on a statement that is longer. */
  readonly packetBytes: number
}

const factsText = 'SELECT VERSION() AS version, @@max_allowed_packet AS packetBytes'

export async function serverFacts(mysql: MysqlDriver, address: MysqlAddress): Promise<ServerFacts> {
  try {
    const client = await mysql.createConnection(optionsOf(address))
    client.on('error', () => {})
    try {
      const [rows] = await client.query({ sql: factsText, timeout: connectMs })
      await client.end()
      const [facts] = rows as { version?: unknown; packetBytes?: unknown }[]
      return { version: String(facts?.version), packetBytes: Number(facts?.packetBytes) }
    } catch (error) {
      destroy(client)
      throw error
    }
  } catch (error) {
    throw new ServerFailure(error)
  }
}

export class MysqlPool implements SessionPool {
  readonly #pool: ConnectionPool<Connection>
  readonly #parts: Omit<SessionParts, 'release'>

  constructor(
    mysql: MysqlDriver,
    address: MysqlAddress,
    { size, ...limits }: SessionLimits & { readonly size: number },
    { dialect, dialer, host }: { readonly dialect: Dialect; readonly dialer: Dialer; readonly host: Host },
  ) {
    const { answerMs, transactionMs } = limits
    this.#parts = { dialect, host, answerMs }
    this.#pool = new ConnectionPool(
      { size, waitMs: transactionMs ?? answerMs ?? connectMs },
      {
        open: async (onLost) => {
          const client = await mysql.createConnection(optionsOf(address))
          // Without a listener the event would end the process.
          client.on('error', () => onLost(client))
          return await prepared(client, limits)
        },
        check: async (client) => await client.ping(),
        end: async (client) => {
          await client.end()
          socketOf(client).unref()
        },
        destroy,
        rest: (client, resting) => (resting ? socketOf(client).unref() : socketOf(client).ref()),
      },
      { dialer, host },
    )
  }

  async acquire({ slow = false } = {}): Promise<Session> {
    try {
      const client = await this.#pool.acquire()
      const release = (broken: boolean) => this.#pool.release(client, broken)
      return new MysqlSession(client, { ...this.#parts, ...(slow ? { answerMs: null } : {}), release })
    } catch (error) {
      throw new ServerFailure(error)
    }
  }

  async close(graceMs?: number): Promise<void> {
    await this.#pool.close(graceMs)
  }
}

async function prepared(client: Connection, { answerMs, transactionMs }: SessionLimits): Promise<Connection> {
  const own = transactionMs === null && answerMs !== null ? [lockWaitText(answerMs)] : []
  const texts = [setUpText(transactionMs ?? ownRestMs), isolationText, ...own]
  try {
    for (const sql of texts) await client.query({ sql, timeout: connectMs })
    return client
  } catch (error) {
    destroy(client)
    throw error
  }
}

/** The driver's own `destroy` only says goodbye, and waits for an answer. */
function destroy(client: Connection): void {
  client.destroy()
  socketOf(client).destroy()
}

export function socketOf(client: unknown): Socket {
  return (client as { connection: { stream: Socket } }).connection.stream
}

interface SessionParts {
  readonly dialect: Dialect
  readonly host: Host
  readonly answerMs: number | null
  readonly release: (broken: boolean) => void
}

class MysqlSession implements Session {
  readonly client: Connection
  readonly #parts: SessionParts
  /** Why there is no transaction any more, although its user thinks so. */
  #ended: Error | null = null
  #began = false

  constructor(client: Connection, parts: SessionParts) {
    this.client = client
    this.#parts = parts
  }

  async run(step: Step): Promise<unknown> {
    let answer: unknown = null
    for (const { text, params } of this.#parts.dialect.spell(step)) answer = await this.#send(text, params)
    return answerOf(step, answer)
  }

  async query(text: string, params: readonly unknown[]): Promise<Record<string, unknown>[]> {
    const [rows] = await this.#ask(text, params.map(writable))
    return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
  }

  async begin(kind: 'write' | 'snapshot'): Promise<void> {
    if (kind === 'snapshot') await this.#send('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
    await this.#send(
      kind === 'write' ? 'START TRANSACTION' : 'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY',
    )
    this.#began = true
  }

  async commit(): Promise<void> {
    await this.#send('COMMIT')
    this.#began = false
  }

  async rollback(): Promise<void> {
    this.#began = false
    this.#ended = null
    await this.#send('ROLLBACK')
  }

  release(broken: boolean): void {
    this.#parts.release(broken)
  }

  async #send(text: string, params: readonly unknown[] = []): Promise<unknown> {
    const { host, answerMs } = this.#parts
    try {
      const answer = this.#ask(text, params)
      return await (answerMs === null ? answer : inTime(host, answerMs, answer))
    } catch (error) {
      // The driver adds the statement as it was sent, with every input in it: no matter for a log.
      if (error instanceof Error) Reflect.deleteProperty(error, 'sql')
      throw new ServerFailure(error)
    }
  }

  /**
   * The victim of a deadlock has lost its whole transaction, not only the statement: a handler that goes on after that
   * would write each of its next statements for good.
   */
  async #ask(sql: string, params: readonly unknown[]): Promise<[unknown, unknown]> {
    if (this.#ended !== null) throw this.#ended
    try {
      return await this.client.query({ sql, values: [...params] })
    } catch (error) {
      if (this.#began && error instanceof Error && endsTransaction(error)) this.#ended = error
      throw error
    }
  }
}

/** An object is JSON, as on the other engines; the driver would make `key = value` pairs of it. */
function writable(value: unknown): unknown {
  const isPlain =
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !(value instanceof Uint8Array)
  return isPlain ? JSON.stringify(value) : value
}

interface PromisedConnection {
  query(options: CallerQuery): Promise<unknown>
}

interface CallerQuery {
  readonly sql: string
  readonly values: readonly unknown[]
  readonly rowsAsArray: false
  readonly nestTables: false
  readonly typeCast: true
}

/** A caller's own connection of mysql2, with promises or with callbacks; null for anything else. */
export function ofMysql2(
  value: object,
): ((text: string, params: readonly unknown[]) => Promise<unknown>) | null {
  const found = promised(value)
  if (found === null) return null
  // Its owner may have set other shapes for its own rows.
  const shape = { rowsAsArray: false, nestTables: false, typeCast: true } as const
  return async (sql, values) => await found.query({ sql, values, ...shape })
}

function promised(value: object): PromisedConnection | null {
  const { promise, connection, threadId } = value as Record<string, unknown>
  if (typeof promise === 'function' && threadId !== undefined)
    return promise.call(value) as PromisedConnection
  const wraps = typeof connection === 'object' && connection !== null && 'threadId' in connection
  return wraps ? (value as PromisedConnection) : null
}
