/**
 * Step 2 of the flow, what becomes of each tick: exactly one account, written once.
 */
export const accounts = ['fired', 'caught_up', 'coalesced', 'skipped'] as const
export type Account = (typeof accounts)[number]

/** Why a tick was skipped, as a sentence. */
const skipSentences = {
  catchup_off: 'missed while nothing ran, and catch-up is off',
  outside_window: 'missed, and older than the catch-up window',
  over_limit: 'missed, and beyond the limit of missed runs',
  overlap: 'the run before was still going',
  buffer_full: 'the buffer of waiting runs was full',
  paused: 'the job was paused',
  ended: 'the schedule had ended',
  disabled: 'no node had its handler',
  invalid_spec: 'the schedule could not be evaluated',
} as const
export type SkipReason = keyof typeof skipSentences
export const skipReasons = Object.keys(skipSentences) as SkipReason[]

/** The reason of a coalesced run of ticks: one newer tick's execution stands for them. */
export type RangeReason = SkipReason | 'latest'

/** A run of ticks with one account: `from` and `to` are its first and last tick. */
export interface TickRange {
  readonly from: number
  readonly to: number
  readonly count: number
  readonly account: 'coalesced' | 'skipped'
  readonly reason: RangeReason
  readonly executionId: string | null
}

export const reasonSentences: Readonly<Record<RangeReason, string>> = {
  ...skipSentences,
  latest: 'folded into the newest missed run',
}

/** Of a reason that somebody tells: one that is not known here speaks for itself. */
export function reasonSentence(reason: string | undefined): string {
  return reason === undefined ? 'no reason was given' : (reasonSentences[reason as RangeReason] ?? reason)
}

/** What is said of a tick that waits, or has passed, because nobody could run its job. */
export const heldBackSentence = 'held back: no node has its handler'
