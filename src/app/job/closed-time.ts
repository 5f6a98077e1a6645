/** A stretch in which ticks of a job do not start, as lists of what comes next show it. */
import type { ClosedPolicy } from '../../core/job/policies.ts'
import type { ClosedSpan } from '../../core/job/upcoming.ts'

export interface ClosedTime {
  readonly from: Date
  /** When it opens; null: nobody knows when. */
  readonly until: Date | null
  /** How many ticks lie in it; with no end, those of a year. */
  readonly ticks: number
  readonly onClosed: ClosedPolicy
}

export function closedTime({ from, until, ticks, onClosed }: ClosedSpan): ClosedTime {
  return { from: new Date(from), until: until === null ? null : new Date(until), ticks, onClosed }
}
