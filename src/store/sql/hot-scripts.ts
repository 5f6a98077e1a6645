/** The verbs, and parts of verbs, that decide the speed: each engine writes them by hand, and its `hot.ts` lists them. */

import type { ExecutionState } from '../../core/execution/execution-state.ts'
import type { Job } from '../../core/job/job.ts'
import type {
  Claim,
  ClaimRequest,
  ClaimResult,
  Enqueued,
  ExtendRequest,
  ExtendResult,
  NewExecution,
} from '../store.ts'
import { pauseColumns } from './jobs/job-columns.ts'
import type { Script } from './runtime/script.ts'

export interface HotScripts {
  enqueueExecutions(rows: readonly NewExecution[]): Script<Enqueued[]>
  claimExecutions(request: ClaimRequest): Script<Claiming>
  extendLeases(request: ExtendRequest): Script<ExtendResult>
  /** The ids of those that were still reserved by this claim, and have started now. */
  startClaims(claims: readonly Claim[], now: number): Script<ReadonlySet<string>>
  /** The ids of those that were running under this fence, and are completed now: their jobs are proven. */
  completeAttempts(attempts: readonly Completion[]): Script<ReadonlySet<string>>
  /** The same for attempts whose worker is gone. */
  crashAttempts(attempts: readonly Crash[]): Script<ReadonlySet<string>>
  /** Compare-and-set on (cursor, version), in one go for a batch; how many moved. */
  moveCursors(moves: readonly CursorMove[]): Script<number>
  /** The same, and writes the pause, or its end, in a version of its own. */
  movePauses(moves: readonly CursorMove[]): Script<number>
  /** Jobs with something blocked whose time has come, and nothing under way. */
  findIdleLanes(now: number): Script<string[]>
}

export interface Claiming extends ClaimResult {
  /** Enqueued after their jobs were cancelled, and passed over. A claim holds no job, so it must not end them itself. */
  readonly ofCancelledJobs: readonly string[]
}

export interface Completion extends Claim {
  readonly jobId: string
  /** JSON. */
  readonly result: string | null
  readonly finishedAt: number
  /** Counts where the row itself says nothing of a start. */
  readonly startedAt: number | null
}

export interface Crash extends Claim {
  readonly attempt: number
  readonly state: ExecutionState
  /** JSON. */
  readonly error: string | null
  readonly readyAt: number
  /** Both null where another attempt follows. */
  readonly finishedAt: number | null
  readonly startedAt: number | null
}

export interface CursorMove {
  readonly job: Job
  readonly after: Job
}

/** By column: which claim it ends, and what is written then. */
export function completionValues({ id, fence, result, finishedAt, startedAt }: Completion) {
  return { id, fence, result, finished_at: finishedAt, started_at: startedAt }
}

/** The same of a crash. */
export function crashValues({ readyAt, finishedAt, startedAt, ...crash }: Crash) {
  return { ...crash, ready_at: readyAt, finished_at: finishedAt, started_at: startedAt }
}

/** By column: where the cursor must stand, and what is written then. */
export function cursorValues({ job, after }: CursorMove) {
  return {
    id: job.id,
    was: job.accountedUntil,
    version: job.version,
    accounted_until: after.accountedUntil,
    next_due_at: after.nextDueAt,
    open_tick_at: after.openTickAt,
    runs: after.runs,
    state: after.state,
    updated_at: after.updatedAt,
  }
}

/** The same with the pause that the job has afterwards. */
export function pauseValues(move: CursorMove) {
  return { ...cursorValues(move), ...pauseColumns(move.after) }
}
