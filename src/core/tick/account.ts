/**
 * Step 2 of the flow, what becomes of each tick: exactly one account, written once.
 */
import { type CancelReason, cancelWords } from '../execution/execution.ts'
import type { FinalState } from '../execution/execution-state.ts'
import { keysOf, ownValue } from '../table-keys.ts'

export const accounts = ['fired', 'caught_up', 'coalesced', 'skipped'] as const
export type Account = (typeof accounts)[number]

/** Why a tick was skipped, as a sentence. */
const skipSentences = {
  catchup_off: 'missed while no node led, and catch-up is off',
  outside_window: 'missed, and older than the catch-up window',
  over_limit: 'missed, and beyond the limit of missed runs',
  overlap: 'the previous run was still going',
  buffer_full: 'the buffer of waiting runs was full',
  paused: 'the job was paused',
  ended: 'the schedule had ended',
  disabled: 'no node had its handler',
  invalid_spec: 'the schedule could not be evaluated',
} as const
export type SkipReason = keyof typeof skipSentences
export const skipReasons = keysOf(skipSentences)

/** `latest`: a newer tick's execution stands for the coalesced ones. */
export type RangeReason = SkipReason | 'latest'

/** What became of a tick, without its details. */
export interface TickKind {
  readonly account: Account
  /** Of a skipped or coalesced tick, else null. */
  readonly reason: RangeReason | null
  /** Of a tick that had an execution, else null. */
  readonly outcome: FinalState | null
  /** Of a cancelled one, else null. */
  readonly cancelReason: CancelReason | null
}

/** Ticks that became the same: `from` and `to` are the first and the last of them. */
export interface TickRange extends TickKind {
  readonly from: number
  readonly to: number
  readonly count: number
  /** The one that stands for coalesced ticks. */
  readonly executionId: string | null
}

export const reasonSentences: Readonly<Record<RangeReason, string>> = {
  ...skipSentences,
  latest: 'coalesced into the newest missed run',
}

/** An unknown reason is shown as it is. */
export function reasonSentence(reason: string | undefined): string {
  return reason === undefined ? 'no reason given' : (ownValue(reasonSentences, reason) ?? reason)
}

/** For a summary of several reasons, where it is clear that the ticks were missed. */
const shortReasons: Readonly<Record<RangeReason, string>> = {
  ...skipSentences,
  catchup_off: 'catch-up is off',
  outside_window: 'older than the catch-up window',
  over_limit: 'beyond the limit of missed runs',
  buffer_full: 'the buffer was full',
  paused: 'paused',
  disabled: 'disabled',
  latest: 'coalesced into the newest run',
}

export function shortReason(reason: string): string {
  return ownValue(shortReasons, reason) ?? reason
}

/** How a tick ended of which only the ledger still knows. */
export function foldedSentence(state: string | undefined, cancelReason: string | undefined): string {
  const why = cancelReason === undefined ? '' : `, ${cancelWords(cancelReason)}`
  return `${state ?? 'ended'}${why}; details no longer kept`
}

/** A tick that waits, or was skipped, because no node could run its job. */
export const heldBackSentence = 'held back: no node has its handler'

export const unaccountedSentence = 'unaccounted for: due, but the ledger does not say what happened'
