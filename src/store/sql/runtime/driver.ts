/** What the SQL store asks of an engine: to run scripts, and to hold a transaction open for the user's own writes. */
import { EvertickError } from '../../../core/error.ts'
import type { CallerTransaction, Transaction } from '../../store.ts'
import type { Script } from './script.ts'

export interface SqlDriver {
  read<T>(script: () => Script<T>, options?: ReadOptions): Promise<T>
  /** Long work that may wait between its reads, for a file to take what was read: all of them see one moment. */
  atOneMoment<T>(work: (read: ReadNow) => Promise<T>): Promise<T>
  /** One transaction, or one shared with other writes of the same turn; resolves once it is durable. */
  write<T>(script: () => Script<T>, options?: WriteOptions): Promise<T>
  /** Throws where a write of the caller's would be refused. */
  assertWritable(): void
  /** Everything written so far is durable. */
  sync(): Promise<void>
  /** The script in the caller's own, open transaction. */
  within<T>(transaction: CallerTransaction, script: () => Script<T>): Promise<T>
  /** A transaction of its own that the user's function writes in; `last` runs before the commit. */
  exclusive<T>(request: ExclusiveRequest<T>): Promise<T>
  /** How long a user's transaction may stay open. */
  readonly longestTransactionMs: number
  /** How long it may keep every other write of this process waiting. */
  readonly longestHoldMs: number
  /** A text that changes when another process has written; null where a script has to find out. */
  changes(): Promise<string> | null
  /** The database's own time; null where it is this host's. */
  time(): Promise<number> | null
  /** Ends a slice of long work, so that the rest of the process gets its turn. */
  rest(): Promise<void>
  /** What is still under way after `graceMs` is cut off. */
  close(graceMs?: number): Promise<void>
}

/** Runs a script that only reads. */
export type ReadNow = <T>(script: () => Script<T>) => Promise<T>

export interface ReadOptions {
  /** Long work: all statements see one moment, and between them the rest of the process has its turn. */
  readonly snapshot?: boolean
  /** As for a write. */
  readonly pulse?: boolean
}

export interface WriteOptions {
  /**
   * False for what is not acknowledged to anybody outside (a claim, a heartbeat): it resolves after the commit, and
   * becomes durable with the next durable one. (A server's commit always is.)
   */
  readonly durable?: boolean
  /** A heartbeat or a renewal: it must not queue behind work. (SQLite has one writer for all.) */
  readonly pulse?: boolean
  /** A migration: it has no time limit. */
  readonly slow?: boolean
}

export interface ExclusiveRequest<T> {
  readonly maxMs: number
  /** Its statements have no time limit: they may move a whole table. */
  readonly slow?: boolean
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly first: () => Script<void>
  readonly run: (tx: Transaction) => Promise<T>
  readonly last: (result: T) => Script<void>
}

/** Of work that takes as long as its data does, and has no first or last step. */
export const endless = {
  maxMs: Number.POSITIVE_INFINITY,
  slow: true,
  sleep: async (_ms: number, signal: AbortSignal) =>
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  first: nothing,
  last: nothing,
} as const

function* nothing(): Script<void> {}

/** Rejects when the time of a user's transaction is over. */
export async function lateAfter(
  { maxMs, sleep }: Pick<ExclusiveRequest<unknown>, 'maxMs' | 'sleep'>,
  signal: AbortSignal,
): Promise<never> {
  await sleep(maxMs, signal)
  throw new EvertickError(
    'transaction_timeout',
    `The transaction took longer than ${maxMs} ms and was rolled back.`,
    { next: 'Do slow work before ctx.transaction, and only write inside it.' },
  )
}

export function databaseClosed(): EvertickError {
  return new EvertickError('database_closed', 'This Evertick has been stopped: its database is closed.', {
    next: 'Open a new one with Evertick.open().',
  })
}
