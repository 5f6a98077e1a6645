/** What a server's engine gives to the driver that both servers share: connections, and what their errors mean. */
import { PoolError } from './connection-pool.ts'
import { asError, type Dialect, type Meaning, type Trouble, withMeaning } from './dialect.ts'
import type { Answer, Step } from './script.ts'

/** One connection, out of its pool until it is released. */
export interface Session {
  /** The driver's own connection, for an ORM. */
  readonly client: unknown
  /** Rows, a count or an id, as the step wants it. */
  run(step: Step): Promise<Answer>
  /** In the driver's dialect, as a user writes it. */
  query(text: string, params: readonly unknown[]): Promise<Record<string, unknown>[]>
  /** `snapshot`: all statements see one moment, and write nothing. */
  begin(kind: 'write' | 'snapshot'): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
  /** A broken one is not used again. */
  release(broken: boolean): void
}

export interface SessionPool {
  /** `slow`: for steps without a time limit. */
  acquire(options?: { readonly slow?: boolean }): Promise<Session>
  /** What is still in use after `graceMs` is cut off. */
  close(graceMs?: number): Promise<void>
}

export interface SessionLimits {
  /** A connection that has not answered a step of ours by then counts as dead; null: a step has no limit. */
  readonly answerMs: number | null
  /**
   * How long a user's transaction may stay open, its own statements included, and how long others wait for its
   * connection. Null for our own transactions: they never idle, and wait for nobody.
   */
  readonly transactionMs: number | null
}

/** What the driver said of a call of ours. (What a user's own statement says reaches the user as it is.) */
export class ServerFailure extends Error {
  constructor(cause: unknown) {
    super('The database refused or did not answer.', { cause })
  }
}

export interface ServerEngine {
  /** For messages: the URL without its secrets. */
  readonly where: string
  readonly dialect: Dialect
  /** The statement that tells the server's time in milliseconds, as `now`. */
  readonly timeText: string
  openPool(size: number, limits: SessionLimits): SessionPool
  /** Both by the server's codes, never by its messages. */
  troubleOf(failure: ServerFailure): Trouble
  meaningOf(failure: ServerFailure): Meaning | null
  /** A caller's own transaction, or null where the object is not a transaction of this server. */
  callerQuery(transaction: object): ((text: string, params: readonly unknown[]) => Promise<unknown>) | null
  /** What a caller may pass as `tx`, in words. */
  readonly callerWords: string
}

/** All connections of this node are in use: the server has nothing to do with it. */
const crowdedHere: Meaning = {
  code: 'database_busy',
  says: 'can be reached, but all connections of this node were in use for too long',
  next: 'Raise `pool.max`, or keep the transactions of handlers short.',
}

/** The same error, with our code where its class is known. */
export function classified(
  error: unknown,
  { where, meaningOf }: Pick<ServerEngine, 'where' | 'meaningOf'>,
): Error {
  if (!(error instanceof ServerFailure)) return asError(error)
  const { cause } = error
  return withMeaning(cause, cause instanceof PoolError ? crowdedHere : meaningOf(error), where)
}
