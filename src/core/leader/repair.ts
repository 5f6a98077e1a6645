/** How much of a plan repairs what was missed before a term began. */
import type { TickPlan } from '../tick/plan-ticks.ts'
import type { Repair } from './term.ts'

export const noRepair: Repair = { found: 0, caughtUp: 0, coalesced: 0, skipped: 0 }

export function repairOf(plan: Pick<TickPlan, 'executions' | 'ranges'>, termStartAt: number): Repair {
  const executions = plan.executions.filter((execution) => execution.tickAt < termStartAt)
  const ranges = plan.ranges.filter((range) => range.from < termStartAt)
  const counted = (account: string) =>
    ranges.filter((range) => range.account === account).reduce((sum, range) => sum + range.count, 0)
  const [coalesced, skipped] = [counted('coalesced'), counted('skipped')]
  return { found: executions.length + coalesced + skipped, caughtUp: executions.length, coalesced, skipped }
}

export function addRepairs(a: Repair, b: Repair): Repair {
  return {
    found: a.found + b.found,
    caughtUp: a.caughtUp + b.caughtUp,
    coalesced: a.coalesced + b.coalesced,
    skipped: a.skipped + b.skipped,
  }
}
