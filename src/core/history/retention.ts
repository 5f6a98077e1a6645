/**
 * What history may go. Executions go by count and age, and leave what became of their ticks to the ledger. The ledger goes
 * by its own age: its start moves forward only to the start of a row, and what it passes is added to totals, so that
 * totals + ledger = all ticks, always.
 */
import type { ExecutionState } from '../execution/execution-state.ts'
import type { RetentionSpec } from '../job/options.ts'

/** However young: a job that runs every second would keep millions. Who asks for more gets more. */
const mostKept = 10_000

export function mostExecutions({ executions }: RetentionSpec): number {
  return Math.max(executions, mostKept)
}

/** Which executions of a job are its newest, by the numbers that they have in the order of their making. */
export interface NewestExecutions {
  /** The oldest of those that `retention.executions` keeps. */
  readonly kept: number
  /** The oldest of the most that are kept, whatever their age. */
  readonly most: number
  /** The same among the failed ones. */
  readonly mostFailed: number
}

interface Ended {
  readonly seq: number
  readonly state: ExecutionState
  readonly finishedAt: number
}

/** Kept is what is among the newest or young enough; a failed one also for as long as failures are. */
export function mayGo(
  { ageMs, failedMs }: RetentionSpec,
  { seq, state, finishedAt }: Ended,
  newest: NewestExecutions,
  now: number,
): boolean {
  if (seq >= newest.kept) return false
  if (finishedAt >= now - ageMs && seq >= newest.most) return false
  const keptAsFailed = state === 'failed' && failedMs !== null && finishedAt >= now - failedMs
  return !keptAsFailed || seq < newest.mostFailed
}

/** Where the ledger may start. */
export function ledgerLine(
  { ledgerMs }: RetentionSpec,
  ledgerFrom: number,
  accountedUntil: number,
  now: number,
): number {
  // Never past now: a tick accounted ahead may still be taken back, and must not be in the totals by then.
  return Math.max(ledgerFrom, Math.min(accountedUntil, now - ledgerMs, now))
}

interface Related {
  readonly id: string
  readonly retryOf: string | null
}

/**
 * A retry, and what it retries, go together or stay together: nothing is folded while a retry of it is unfinished or kept.
 * `related` are the job's retries that there are, `others` what they retry and is not to go.
 */
export function wholeFamilies<One extends Related>(
  going: readonly One[],
  related: readonly Related[],
  others: ReadonlySet<string>,
): One[] {
  const goes = new Set(going.map(({ id }) => id))
  const stays = new Set(others)
  for (const { id } of related) if (!goes.has(id)) stays.add(id)
  for (let known = -1; known !== stays.size; ) {
    known = stays.size
    for (const { id, retryOf } of related) {
      if (retryOf === null) continue
      if (stays.has(id)) stays.add(retryOf)
      else if (stays.has(retryOf)) stays.add(id)
    }
  }
  return going.filter(({ id }) => !stays.has(id))
}
