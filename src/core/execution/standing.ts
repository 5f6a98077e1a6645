/** The state of an execution that waits for nothing, as a sentence. */
import { formatDuration } from '../schedule/duration.ts'
import { cancelWords, type Execution } from './execution.ts'
import type { ExecutionState } from './execution-state.ts'

export interface Standing {
  readonly reason: Extract<ExecutionState, 'running' | 'completed' | 'failed' | 'cancelled'>
  readonly sentence: string
  readonly next?: string
}

export function standingOf(execution: Execution, now: number): Standing {
  const { id, state, startedAt, finishedAt, attempt, maxAttempts, error, leasedBy, cancelReason } = execution
  const took = (until: number) => formatDuration(Math.max(0, until - (startedAt ?? until)))
  switch (state) {
    case 'completed':
      return { reason: state, sentence: `It has completed, in ${took(finishedAt ?? now)}.` }
    case 'failed':
      return {
        reason: state,
        sentence: `It failed after ${attempt === 1 ? '1 attempt' : `${attempt} attempts`}${error === null ? '' : `: ${error.message}`}.`,
        next: `Fix the cause, then run it again: \`evertick executions retry ${id}\`.`,
      }
    case 'cancelled':
      return {
        reason: state,
        sentence: `It was cancelled: ${cancelWords(cancelReason ?? 'no reason was given')}.`,
      }
    default:
      return {
        reason: 'running',
        sentence: `It has been running on ${leasedBy ?? 'a node'} for ${took(Math.floor(now / 1_000) * 1_000)}, attempt ${Math.max(1, attempt)} of ${maxAttempts}.`,
      }
  }
}
