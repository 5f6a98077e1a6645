/** Check-ins of jobs that run elsewhere: who may, and what they have said of which tick. */
import type { CheckIn, CheckInWord } from '../../core/check-in/check-in.ts'
import type { JobState } from '../../core/job/job-state.ts'
import type { ChangeContext } from './jobs.ts'

export interface CheckInStore {
  /** The one before is gone. Decided by the job's row. */
  putCheckInToken(job: string, hash: string, context: ChangeContext): Promise<void>
  /**
   * Decided by the job's row: of two for one tick the first stands. Where its execution is there already, its wait decides
   * between this and the timeout. Null where the token is of no job.
   */
  checkIn(request: CheckInRequest): Promise<CheckedIn | null>
  /** What was said of a tick of this job; null where nothing was. */
  findCheckIn(job: string, tickAt: number): Promise<CheckIn | null>
  /** A slice of those of ticks before then. */
  purgeCheckIns(before: number): Promise<number>
}

export interface CheckInRequest {
  /** Of the token. */
  readonly hash: string
  /** Of this check-in. */
  readonly id: string
  readonly word: CheckInWord
  readonly note: string | null
  readonly now: number
}

/** What became of it. */
export type CheckedIn = { readonly job: string } & (
  | { readonly kind: 'counted' | 'again' | 'too_late'; readonly tickAt: number }
  /** No tick is near. */
  | { readonly kind: 'not_due'; readonly nextAt: number | null }
  /** The job makes no ticks now. */
  | { readonly kind: 'inactive'; readonly state: JobState }
  /** It waits for no check-ins any more. */
  | { readonly kind: 'unused' }
)
