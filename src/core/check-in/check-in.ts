/** A check-in: what a job that runs elsewhere says of one of its ticks, and which tick that is. */
import type { CheckInHandler } from '../job/handler.ts'
import type { TickSequence } from '../schedule/schedule.ts'

/** What is said: that it begins, that it is done, or that it has failed. */
export const checkInWords = ['start', 'ok', 'failed'] as const
export type CheckInWord = (typeof checkInWords)[number]

/** Of one tick. */
export interface CheckIn {
  readonly tickAt: number
  /** Null where it did not say when it began. */
  readonly startedAt: number | null
  /** Null while it has only begun. */
  readonly endedAt: number | null
  readonly outcome: Exclude<CheckInWord, 'start'> | null
  readonly note: string | null
}

/** The name of the wait of its execution. */
export const checkInWait = 'check-in'

/**
 * The ticks that a check-in of this instant may be for, the likeliest first: the newest that is due and still waited for,
 * and the next one, if it is due so soon that the other clock may be ahead.
 */
export function checkInTicks(
  ticks: TickSequence,
  { withinMs, earlyMs }: Pick<CheckInHandler, 'withinMs' | 'earlyMs'>,
  at: number,
): number[] {
  const due = ticks.previous(at + 1)
  const next = ticks.next(at)
  return [
    ...(due !== null && at <= due + withinMs ? [due] : []),
    ...(next !== null && next <= at + earlyMs ? [next] : []),
  ]
}
