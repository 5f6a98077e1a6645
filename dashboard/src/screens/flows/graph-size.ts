/** Which flows are drawn. Apart from the layout, which is loaded only for those. */
import type { FlowStep } from './flow-answers.ts'

/** Beyond these the layout takes seconds, and nobody could read it: the list below has all. */
const mostDrawn = { steps: 120, edges: 400 } as const

export function mayDraw(steps: readonly Pick<FlowStep, 'after'>[]): boolean {
  const edges = steps.reduce((sum, { after }) => sum + after.length, 0)
  return steps.length <= mostDrawn.steps && edges <= mostDrawn.edges
}
