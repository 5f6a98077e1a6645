/** What the SQL store asks of an engine: to run scripts, and to hold a transaction open for the user's own writes. */
import type { CallerTransaction, Transaction } from '../store.ts'
import type { Script } from './script.ts'

export interface SqlDriver {
  read<T>(script: () => Script<T>): Promise<T>
  /** One transaction, or one shared with other writes of the same turn; resolves after its commit. */
  write<T>(script: () => Script<T>): Promise<T>
  /** The script in the caller's own, open transaction. */
  within<T>(transaction: CallerTransaction, script: () => Script<T>): Promise<T>
  /** A transaction of its own that the user's function writes in; `last` runs before the commit. */
  exclusive<T>(request: ExclusiveRequest<T>): Promise<T>
  changes(): Promise<number>
  close(): Promise<void>
}

export interface ExclusiveRequest<T> {
  readonly maxMs: number
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly first: () => Script<void>
  readonly run: (tx: Transaction) => Promise<T>
  readonly last: (result: T) => Script<void>
}
