/** What takes part in the comparison: one library, in one configuration, on one store. Each adapter gives a list of them. */
import type { EngineName } from '../engines/engine.ts'

export const storeNames = [
  'sqlite',
  'postgres',
  'mysql',
  'redis',
  'redis-always',
] as const satisfies readonly (EngineName | 'redis' | 'redis-always')[]
export type StoreName = (typeof storeNames)[number]

export const measureNames = ['peers-enqueue', 'peers-drain', 'peers-idle-start', 'peers-lateness'] as const
export type MeasureName = (typeof measureNames)[number]

export interface Contender {
  /** As it stands in the figures. */
  readonly name: string
  /** The package whose configuration this is: `pg-boss`, or `evertick` for ours. */
  readonly library: string
  readonly store: StoreName
  /** Where this configuration says something: how a worker fetches changes nothing for who enqueues. */
  readonly measures: readonly MeasureName[]
  /** False where the library can only take one job in a call. */
  readonly bulk?: false
  /** Fewer than the others drain, where those would take minutes: the rate is what counts. */
  readonly drainJobs?: number
  /** Fewer where a library looks for work every few seconds. */
  readonly idleStarts?: number
  /** How often its idle worker looks, where nothing wakes it: a job may come at any moment of that. */
  readonly pollMs?: number
  open(options: OpenOptions): Promise<OpenQueue>
}

export interface OpenOptions {
  /** An empty database of its own, with the schema not made yet. */
  readonly url: string
  /** How many handlers its worker may run at once. */
  readonly concurrency: number
}

export interface OpenQueue {
  enqueue(n: number): Promise<unknown>
  /** All in one call. */
  enqueueMany?(numbers: readonly number[]): Promise<unknown>
  /** Starts the worker. Its handler does nothing but tell how many jobs it was called with. */
  work(called: (jobs: number) => void): Promise<void>
  /** How many jobs the store itself does not say are done yet. */
  unfinished(): Promise<number>
  close(): Promise<void>
}

/** Jobs in the libraries that want a name for their queue or their handler. */
export const jobName = 'noop'
