/**
 * Within step 3 of the flow: what the parents of a job have come to, for one run that began it all or for one period, and
 * whether that makes a run of the job.
 */
import type { AfterEnd } from '../job/after.ts'
import { counts, type ParentOutcome } from './edge.ts'

export const joinStates = ['open', 'made', 'not_made'] as const
export type JoinState = (typeof joinStates)[number]

/** Why a parent did not arrive, as it is known once its join is closed. */
export type ParentLack = 'late' | 'missing' | 'paused'

/** Of one parent. What has met its condition stays met, whatever comes later. */
export interface Arrival {
  readonly job: string
  readonly on: AfterEnd
  /** Null while it is waited for. */
  readonly outcome: ParentOutcome | ParentLack | null
  readonly met: boolean
  readonly executionId: string | null
  readonly at: number | null
}

/** Why a run was not made: its parents, or the job itself. */
export const notMadeReasons = ['parents', 'disabled', 'cancelled', 'error'] as const
export type NotMadeReason = (typeof notMadeReasons)[number]

export interface Join {
  readonly mode: 'all' | 'any'
  /** Where its runs are joined by a period, a parent may have several; only time tells that none will meet its condition. */
  readonly byPeriod: boolean
  readonly parents: readonly Arrival[]
}

export function awaited(job: string, on: AfterEnd): Arrival {
  return { job, on, outcome: null, met: false, executionId: null, at: null }
}

export interface End {
  readonly job: string
  readonly outcome: ParentOutcome
  readonly executionId: string | null
  readonly at: number
}

export function withEnd(parents: readonly Arrival[], { job, outcome, executionId, at }: End): Arrival[] {
  return parents.map((parent) =>
    parent.job !== job || parent.met
      ? parent
      : { ...parent, outcome, met: counts(parent.on, outcome), executionId, at },
  )
}

export function verdict({ mode, byPeriod, parents }: Join): JoinState {
  const met = parents.filter((parent) => parent.met).length
  if (mode === 'any' ? met > 0 : met === parents.length) return 'made'
  if (byPeriod) return 'open'
  const lost = parents.filter(({ outcome, met: isMet }) => outcome !== null && !isMet).length
  const isLost = mode === 'any' ? lost === parents.length : lost > 0
  return isLost ? 'not_made' : 'open'
}

/** Closed by time: what is still waited for gets its reason. */
export function closed(parents: readonly Arrival[], lackOf: (job: string) => ParentLack): Arrival[] {
  return parents.map((parent) =>
    parent.outcome === null ? { ...parent, outcome: lackOf(parent.job) } : parent,
  )
}
