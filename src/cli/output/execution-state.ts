/** The state of an execution, in its colour. */
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import type { Stream, Style } from './terminal.ts'

export const stateStyles: Readonly<Record<ExecutionState, Style>> = {
  blocked: 'skipped',
  pending: 'running',
  running: 'running',
  retrying: 'late',
  sleeping: 'paused',
  waiting: 'paused',
  completed: 'ran',
  failed: 'failed',
  cancelled: 'skipped',
}

export function stateCell(out: Stream, state: ExecutionState): string {
  return out.paint(stateStyles[state], state)
}
