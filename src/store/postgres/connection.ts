/** Connections of `pg`, the only file that imports it: pooled sessions, and one that listens. */
import type { Socket } from 'node:net'
import type pg from 'pg'
import type { Client, ClientConfig, CustomTypesConfig, QueryConfig } from 'pg'
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

export type PostgresDriver = typeof pg

export async function loadPg(): Promise<PostgresDriver> {
  const { default: pg } = await loadDriver('pg', () => import('pg'))
  return pg
}

const connectMs = 5_000
/** A connection that rests is kept in the memory of firewalls, and found out where its other end is gone. */
const keepAliveMs = 30_000
/** A goodbye that is not answered. */
const endMs = 1_000
/** A connection that only listens has no other way to find out that it hears nothing any more. */
const askEveryMs = 10_000

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
    keepAliveInitialDelayMillis: keepAliveMs,
  }
}

/** A client that has answered: behind a pooler whose server is down, connecting alone says little. */
async function connected(client: Client, host: Host, first: string): Promise<void> {
  try {
    await client.connect()
    await inTime(host, connectMs, client.query(first))
  } catch (error) {
    destroy(client)
    throw error
  }
}

/** Whether a pooler stands between us and the server: then nothing outlives a transaction, not even a prepared statement. */
export async function isPooled(pg: PostgresDriver, url: string, host: Host): Promise<boolean> {
  const client = new pg.Client(configOf(pg, url))
  client.on('error', () => {})
  try {
    await client.connect()
    const asked = client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const { rows } = await inTime(host, connectMs, asked)
    // A pooler hands out a key of its own.
    return rows[0]?.pid !== (client as unknown as { processID: number }).processID
  } catch (error) {
    throw new ServerFailure(error)
  } finally {
    await ended(client, host)
  }
}

async function ended(client: Client, host: Host): Promise<void> {
  await inTime(host, endMs, client.end()).catch(() => destroy(client))
}

/**
 * How long a transaction of ours may rest between two statements before the server ends it and sets its rows free. Ours
 * never rest: who is silent for so long was stopped, or is cut off, and without this nobody could lead until it is back. A
 * handler may, up to the deadline of its transaction.
 */
const ownRestMs = 5_000

export class PostgresPool implements SessionPool {
  readonly #pool: ConnectionPool<Client>
  readonly #parts: Omit<SessionParts, 'release'>

  constructor(
    pg: PostgresDriver,
    url: string,
    { size, answerMs, transactionMs }: SessionLimits & { readonly size: number },
    { dialect, names, dialer, host }: PoolParts,
  ) {
    this.#parts = { dialect, names, host, answerMs, restMs: transactionMs ?? ownRestMs }
    this.#pool = new ConnectionPool(
      { size, waitMs: transactionMs ?? answerMs ?? connectMs },
      {
        open: async (onLost) => {
          const client = new pg.Client(configOf(pg, url))
          // Without a listener the event would end the process.
          client.on('error', () => onLost(client))
          await connected(client, host, names === null ? checkText : planOnce)
          return client
        },
        check: async (client) => await client.query(checkText),
        end: async (client) => await client.end(),
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
      return new PostgresSession(client, { ...this.#parts, ...(slow ? { answerMs: null } : {}), release })
    } catch (error) {
      throw new ServerFailure(error)
    }
  }

  async close(graceMs?: number): Promise<void> {
    await this.#pool.close(graceMs)
  }
}

interface PoolParts {
  readonly dialect: Dialect
  readonly names: StatementNames | null
  readonly dialer: Dialer
  readonly host: Host
}

const checkText = 'SELECT 1'

/** The driver's own `end` says goodbye first, and waits for an answer. */
function destroy(client: Client): void {
  socketOf(client).destroy()
}

export function socketOf(client: unknown): Socket {
  return (client as { connection: { stream: Socket } }).connection.stream
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
  readonly host: Host
  readonly answerMs: number | null
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
    const { host, answerMs } = this.#parts
    try {
      const answer = this.client.query(query as QueryConfig)
      return await (answerMs === null ? answer : inTime(host, answerMs, answer))
    } catch (error) {
      throw new ServerFailure(error)
    }
  }
}

/** A connection of its own that hears notifications. `onEnd` is called once, and only where it had stood. */
export async function openListener(
  pg: PostgresDriver,
  { url, channel, host }: { readonly url: string; readonly channel: string; readonly host: Host },
  { onMessage, onEnd }: { readonly onMessage: (payload: string) => void; readonly onEnd: () => void },
): Promise<{ close(): Promise<void> }> {
  const client: Client = new pg.Client(configOf(pg, url))
  // Without a listener the event would end the process.
  client.on('error', () => {})
  client.on('notification', ({ payload }) => onMessage(payload ?? ''))
  await connected(client, host, `LISTEN "${channel}"`)
  let cancelAsk = () => {}
  const askLater = () => {
    cancelAsk = host.timer(askEveryMs, () => {
      inTime(host, connectMs, client.query(checkText)).then(askLater, () => destroy(client))
    })
  }
  const lost = () => {
    cancelAsk()
    onEnd()
  }
  client.once('end', lost)
  askLater()
  return {
    async close() {
      client.off('end', lost)
      cancelAsk()
      await ended(client, host)
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
