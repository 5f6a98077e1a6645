/** How much of a plan repairs what was missed before a term began. */
import type { Account, RangeReason } from '../tick/account.ts'
import type { TickPlan } from '../tick/plan-ticks.ts'
import type { Repair } from './term.ts'

/** Missed ticks that one thing became of; `caught_up` has no reason. */
export interface MissedCount {
  readonly account: Exclude<Account, 'fired'>
  readonly reason: RangeReason | null
  readonly count: number
}

export const noRepair: Repair = { found: 0, caughtUp: 0, coalesced: 0, skipped: 0 }

export function missedOf(plan: Pick<TickPlan, 'executions' | 'ranges'>, termStartAt: number): MissedCount[] {
  const executions = plan.executions.filter((execution) => execution.tickAt < termStartAt)
  const ranges = plan.ranges.filter((range) => range.from < termStartAt)
  const counts: MissedCount[] = ranges.map(({ account, reason, count }) => ({ account, reason, count }))
  if (executions.length > 0) counts.push({ account: 'caught_up', reason: null, count: executions.length })
  return counts
}

export function addMissed(repair: Repair, { account, count }: MissedCount): Repair {
  const key = account === 'caught_up' ? 'caughtUp' : account
  return { ...repair, found: repair.found + count, [key]: repair[key] + count }
}
