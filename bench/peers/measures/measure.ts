/** What each measure of the comparison is given. */
import type { Contender } from '../contender.ts'
import type { Entry } from '../report/comparison.ts'
import type { Stores } from '../stores.ts'

export interface PeerMeasureOptions {
  readonly stores: Stores
  /** Those that this measure says something of. */
  readonly contenders: readonly Contender[]
  readonly sizes: Sizes
  readonly say: (line: string) => void
}

export type PeerMeasure = (options: PeerMeasureOptions) => Promise<Entry[]>

export interface Sizes {
  readonly rounds: number
  /** A way of enqueueing ends after so many jobs or so long, whichever comes first. */
  readonly enqueueJobs: number
  readonly enqueueMs: number
  readonly drainJobs: number
  readonly drainMs: number
  readonly idleStarts: number
  readonly ticks: readonly number[]
}

export const full: Sizes = {
  rounds: 3,
  enqueueJobs: 20_000,
  enqueueMs: 2_500,
  drainJobs: 20_000,
  drainMs: 40_000,
  idleStarts: 34,
  ticks: [1_000, 10_000],
}

/** To see that everything works; its figures say nothing. */
export const quick: Sizes = {
  rounds: 1,
  enqueueJobs: 1_000,
  enqueueMs: 500,
  drainJobs: 500,
  drainMs: 10_000,
  idleStarts: 5,
  ticks: [100],
}

export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}`
}
