/** The state of a flow, in its colour. */
import type { FlowState } from '../../core/flow/flow.ts'
import type { Stream, Style } from './terminal.ts'

const styles: Readonly<Record<FlowState, Style>> = {
  running: 'running',
  completed: 'ran',
  failed: 'failed',
  cancelled: 'skipped',
}

export function flowStateCell(out: Stream, state: FlowState): string {
  return out.paint(styles[state], state)
}
