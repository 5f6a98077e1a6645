/** Sessions on the pooled connections of a server: what both servers do alike. */
import type { Socket } from 'node:net'
import type { Host } from '../../host.ts'
import { inTime } from '../../in-time.ts'
import { ConnectionPool, type Lifecycle } from './connection-pool.ts'
import type { Dialect } from './dialect.ts'
import type { Dialer } from './dialer.ts'
import { ServerFailure, type Session, type SessionLimits, type SessionPool } from './server-session.ts'

export const connectMs = 5_000
/** Firewalls remember an idle connection that does this, and it shows when the other end is gone. */
export const keepAliveMs = 30_000

/**
 * How long a transaction of ours may be idle between two statements before the server ends it and frees its rows. Ours are
 * never idle: a node that is silent for so long was stopped or cut off, and without this limit nobody could lead until it
 * is back. A handler's may be, up to the deadline of its transaction.
 */
const ownRestMs = 5_000
/**
 * Who waits for a connection waits a little longer than whoever has it may: where the server is silent, that one's end says
 * so first. Else it was chance whether a node said that, or that its connections were all in use.
 */
const afterwardsMs = 1_000

export function restMsOf({ transactionMs }: SessionLimits): number {
  return transactionMs ?? ownRestMs
}

/** What a session is given beside its connection. */
export interface SessionParts {
  readonly dialect: Dialect
  readonly host: Host
  /** A step that takes longer is given up; null: it has no limit. */
  readonly answerMs: number | null
  readonly release: (broken: boolean) => void
}

/** How the connections to a server begin and end. */
export type Connections<Client extends object> = Omit<Lifecycle<Client>, 'rest'>

/** Both packages have it in the same place. */
export function socketOf(client: unknown): Socket {
  return (client as { connection: { stream: Socket } }).connection.stream
}

export function openSessions<Client extends object>(
  connections: Connections<Client>,
  { size, answerMs, transactionMs }: SessionLimits & { readonly size: number },
  { dialect, dialer, host }: { readonly dialect: Dialect; readonly dialer: Dialer; readonly host: Host },
  sessionOn: (client: Client, parts: SessionParts) => Session,
): SessionPool {
  const rest = (client: Client, resting: boolean) =>
    void (resting ? socketOf(client).unref() : socketOf(client).ref())
  const pool = new ConnectionPool(
    { size, waitMs: (transactionMs ?? answerMs ?? connectMs) + afterwardsMs },
    { ...connections, rest },
    { dialer, host },
  )
  return {
    async acquire({ slow = false } = {}) {
      try {
        const client = await pool.acquire()
        const release = (broken: boolean) => pool.release(client, broken)
        return sessionOn(client, { dialect, host, answerMs: slow ? null : answerMs, release })
      } catch (error) {
        throw new ServerFailure(error)
      }
    },
    close: async (graceMs) => await pool.close(graceMs),
  }
}

/** What the server answers to a statement of ours, unless that takes too long. */
export async function answered<T>({ host, answerMs }: SessionParts, answer: Promise<T>): Promise<T> {
  try {
    return await (answerMs === null ? answer : inTime(host, answerMs, answer))
  } catch (error) {
    throw new ServerFailure(error)
  }
}
