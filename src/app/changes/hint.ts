/** What a client of the live events is told: that something has changed, never what it is now. It asks for that itself. */
import type { ExecutionState } from '../../core/execution/execution-state.ts'

export type Hint =
  | { readonly type: 'execution'; readonly id: string; readonly job: string; readonly state: ExecutionState }
  /** So many at once that naming each would help nobody; of one job, or of more jobs than are worth naming. */
  | { readonly type: 'executions'; readonly job: string | null }
  | { readonly type: 'job'; readonly id: string; readonly job: string; readonly deleted: boolean }
  | { readonly type: 'leader'; readonly termId: number | null; readonly instance: string | null }
  /** A lease expired and was reset. */
  | { readonly type: 'lease'; readonly id: string; readonly job: string }

/** Hints with the same subject replace each other: the newest is enough. */
export function subjectOf(hint: Hint): string {
  switch (hint.type) {
    case 'execution':
    case 'job':
    case 'lease':
      return `${hint.type}:${hint.id}`
    case 'executions':
      return `executions:${hint.job ?? ''}`
    case 'leader':
      return 'leader'
  }
}
