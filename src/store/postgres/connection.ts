/** Connections of `pg`, the only file that imports it: pooled sessions, and one that listens. */
import type { Socket } from 'node:net'
import type pg from 'pg'
import type { Client, ClientConfig, CustomTypesConfig, QueryConfig } from 'pg'
import type { Host } from '../host.ts'
import { loadDriver } from '../load-driver.ts'
import { ConnectionPool } from '../sql/connection-pool.ts'
import type { Dialect } from '../sql/dialect.ts'
import { answerOf } from '../sql/queryable.ts'
import type { Step } from '../sql/script.ts'
import { ServerFailure, type Session, type SessionPool } from '../sql/server-session.ts'

export type PostgresDriver = typeof pg

export async function loadPg(): Promise<PostgresDriver> {
  const { default: pg } = await loadDriver('pg', () => import('pg'))
  return pg
}

const connectMs = 5_000

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

function types(pg: PostgresDriver): CustomTypesConfig {
  const others = pg.types.getTypeParser as (oid: number, format?: 'text' | 'binary') => unknown
  return { getTypeParser: (oid: number, format?: 'text' | 'binary') => parsers[oid] ?? others(oid, format) }
}

function configOf(pg: PostgresDriver, url: string): ClientConfig {
  return {
    connectionString: url,
    types: types(pg),
    application_name: 'evertick',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
  }
}

/** Whether a pooler stands between us and the server: then nothing outlives a transaction, not even a prepared statement. */
export async function isPooled(pg: PostgresDriver, url: string): Promise<boolean> {
  const client = new pg.Client(configOf(pg, url))
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    // A pooler hands out a key of its own.
    return rows[0]?.pid !== (client as unknown as { processID: number }).processID
  } catch (error) {
    throw new ServerFailure(error)
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * How long a transaction may rest between two statements before the server ends it and sets its rows free. Ours never
 * rest: who is silent for so long was stopped, or is cut off, and without this nobody could lead until it is back. A
 * handler may, up to the deadline of its transaction.
 */
const restMs = { ours: 5_000, handlers: 60_000 } as const

export interface PoolLimits {
  readonly size: number
  /** Null: a statement takes its time. */
  readonly answerMs: number | null
}

/** How long a handler's transaction may keep others from a connection. */
const longestMs = 60_000

export class PostgresPool implements SessionPool {
  readonly #pool: ConnectionPool<Client>
  readonly #parts: Omit<SessionParts, 'release'>

  constructor(
    pg: PostgresDriver,
    url: string,
    { size, answerMs }: PoolLimits,
    { dialect, names, host }: PoolParts,
  ) {
    this.#parts = { dialect, names, restMs: answerMs === null ? restMs.handlers : restMs.ours }
    const config = { ...configOf(pg, url), ...(answerMs === null ? {} : { query_timeout: answerMs }) }
    this.#pool = new ConnectionPool(
      { size, waitMs: answerMs ?? longestMs },
      {
        open: async (onLost) => {
          const client = new pg.Client(config)
          // Without a listener the event would end the process.
          client.on('error', () => onLost(client))
          await client.connect()
          if (names !== null) await client.query(planOnce)
          return client
        },
        end: async (client) => await client.end().catch(() => {}),
        destroy,
        rest: (client, resting) => (resting ? socketOf(client).unref() : socketOf(client).ref()),
      },
      host,
    )
  }

  async acquire(): Promise<Session> {
    try {
      const client = await this.#pool.acquire()
      const release = (broken: boolean) => this.#pool.release(client, broken)
      return new PostgresSession(client, { ...this.#parts, release })
    } catch (error) {
      throw new ServerFailure(error)
    }
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }
}

interface PoolParts {
  readonly dialect: Dialect
  readonly names: StatementNames | null
  readonly host: Host
}

/** The driver's own `end` says goodbye first, and waits for an answer. */
function destroy(client: Client): void {
  socketOf(client).destroy()
}

function socketOf(client: Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

/** Prepared once per connection: planning the claim takes longer than running it. */
export class StatementNames {
  readonly #names = new Map<string, string>()

  of(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= maxNames) return known
    const name = `evertick_${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}

/**
 * PostgreSQL plans a prepared statement anew for its values while it takes that for cheaper, and the claim, which reads the
 * head of an index, never stops: half a millisecond each time, as long as it takes to run. No plan of ours depends on the
 * values. Compiling one would take longer than the longest of them runs.
 */
const planOnce = 'SET plan_cache_mode = force_generic_plan; SET jit = off'

/** More texts than this means that somebody builds them. */
const maxNames = 300

interface SessionParts {
  readonly dialect: Dialect
  readonly names: StatementNames | null
  readonly restMs: number
  readonly release: (broken: boolean) => void
}

class PostgresSession implements Session {
  readonly client: Client
  readonly #parts: SessionParts

  constructor(client: Client, parts: SessionParts) {
    this.client = client
    this.#parts = parts
  }

  async run(step: Step): Promise<unknown> {
    let answer: unknown = null
    for (const { text, params } of this.#parts.dialect.spell(step)) {
      const name = this.#parts.names?.of(text)
      answer = await this.#send({ text, values: [...params], ...(name === undefined ? {} : { name }) })
    }
    return answerOf(step, answer)
  }

  async query(text: string, params: readonly unknown[]): Promise<Record<string, unknown>[]> {
    const { rows } = await this.client.query<Record<string, unknown>>(text, [...params])
    return rows
  }

  async begin(kind: 'write' | 'snapshot'): Promise<void> {
    const level = kind === 'write' ? 'READ COMMITTED' : 'REPEATABLE READ READ ONLY'
    // In one round trip, and for this transaction only: behind a pooler, the next one on the connection is a stranger's.
    await this.#send(
      `BEGIN ISOLATION LEVEL ${level}; SET LOCAL idle_in_transaction_session_timeout = ${this.#parts.restMs}`,
    )
  }

  async commit(): Promise<void> {
    await this.#send('COMMIT')
  }

  async rollback(): Promise<void> {
    await this.#send('ROLLBACK')
  }

  release(broken: boolean): void {
    this.#parts.release(broken)
  }

  async #send(query: string | QueryConfig): Promise<unknown> {
    try {
      return await this.client.query(query as QueryConfig)
    } catch (error) {
      throw new ServerFailure(error)
    }
  }
}

/** A connection of its own that hears notifications. */
export async function openListener(
  pg: PostgresDriver,
  url: string,
  channel: string,
  { onMessage, onEnd }: { readonly onMessage: (payload: string) => void; readonly onEnd: () => void },
): Promise<{ close(): Promise<void> }> {
  const client: Client = new pg.Client(configOf(pg, url))
  // Without a listener the event would end the process.
  client.on('error', () => {})
  client.on('end', onEnd)
  client.on('notification', ({ payload }) => onMessage(payload ?? ''))
  try {
    await client.connect()
    await client.query(`LISTEN "${channel}"`)
  } catch (error) {
    client.off('end', onEnd)
    await client.end().catch(() => {})
    throw error
  }
  return {
    async close() {
      client.off('end', onEnd)
      await client.end().catch(() => {})
    },
  }
}

/** A `pg` client, or a pool's: what a caller hands over as its transaction. */
export function isPgClient(
  value: object,
): value is { query(text: string, params: unknown[]): Promise<unknown> } {
  const { query, connection, processID } = value as Record<string, unknown>
  return typeof query === 'function' && (connection !== undefined || processID !== undefined)
}
