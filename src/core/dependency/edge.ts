/** Which ends of a parent count for what comes after it. */
import type { FinalState } from '../execution/execution-state.ts'
import type { AfterEnd } from '../job/after.ts'

/** How a run of a parent came out: also where it was not made at all. */
export type ParentOutcome = FinalState | 'not_made'

/** One job comes after another, from an instant on and maybe until another. Both are as of the run that began it all. */
export interface Edge {
  readonly childId: string
  /** A name: the job that has it may be made later, or anew. */
  readonly parent: string
  readonly on: AfterEnd
  readonly join: 'all' | 'any'
  /** Where runs are joined by a period of time; else by the run that began it all. */
  readonly per: Per | null
}

export interface Per {
  /** `day`, `hour`, or a duration. */
  readonly length: string
  readonly timezone: string
}

export function counts(on: AfterEnd, outcome: ParentOutcome): boolean {
  switch (on) {
    case 'success':
      return outcome === 'completed'
    case 'failure':
      return outcome === 'failed'
    case 'any':
      return true
  }
}
