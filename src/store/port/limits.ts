/** Limits that the cluster shares, by name, and the keys of all limits. */
import type { LimitNumbers } from '../../core/execution/limit.ts'
import type { ChangeContext } from './jobs.ts'

export interface LimitStore {
  /** By name; also those that jobs name, and nobody has set. */
  listLimits(): Promise<LimitRow[]>
  /** Of two who set a new name at once, its key refuses the second, who looks again and writes over the first. */
  setLimit(name: string, numbers: LimitNumbers, by: ChangeContext): Promise<LimitRow>
  /** False where there is none. What shares it goes on without a bound. */
  deleteLimit(name: string, by: ChangeContext): Promise<boolean>
  /** What code says of limits: written where it differs from what code has written last. Returns the names of what was. */
  writeCodeLimits(limits: readonly CodeLimit[], by: ChangeContext): Promise<string[]>
  /** What each of these executions shares, and who has the shares of the key that it waits at. */
  readShares(executionIds: readonly string[], now: number): Promise<SharesRow[]>
}

export interface CodeLimit extends LimitNumbers {
  readonly name: string
  readonly hash: string
}

export interface LimitRow extends LimitNumbers {
  readonly name: string
  /** Null where jobs name it, and nobody has set it. */
  readonly changedAt: number | null
  readonly changedBy: string | null
  readonly running: number
  readonly waiting: number
  /** The jobs that name it. */
  readonly jobs: readonly string[]
}

export interface SharesRow extends LimitNumbers {
  readonly executionId: string
  /** Of the limit: a name, or a job's id and a path. */
  readonly limitId: string
  readonly running: number
  /** Some of those that have a share. */
  readonly holders: readonly { readonly id: string; readonly jobName: string; readonly node: string | null }[]
  /** When the next one may start by the rate; null where that is not what it waits for. */
  readonly startsAt: number | null
}
