/** One execution with all that is kept of it: attempts, steps, and the revisions of its job that it ran under. */
import type { Usage } from '../../core/attempt/usage.ts'
import type { Execution } from '../../core/execution/execution.ts'
import { type Definition, definitionOf, startsOf } from '../../core/job/definition.ts'
import type { AttemptRow, UsageRow } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { type ExecutionView, waitingView } from '../views.ts'
import { type StepView, stepViews } from './steps.ts'
import { waitsFor } from './waits.ts'

export interface ExecutionDetail extends ExecutionView {
  readonly attempts: readonly AttemptView[]
  readonly steps: readonly StepView[]
  /** Null where it has not begun. */
  readonly definition: Definition | null
}

export interface AttemptView {
  readonly attempt: number
  readonly outcome: AttemptRow['outcome']
  readonly nodeId: string | null
  readonly startedAt: Date | null
  readonly finishedAt: Date
  readonly error: AttemptRow['error']
  /** Null where nobody could see it, as of a function that runs in the node. */
  readonly usage: Usage | null
}

export async function executionDetail(app: AppContext, execution: Execution): Promise<ExecutionDetail> {
  const { executions, steps: stepStore, jobs } = app.store
  const [tried, usages, steps, revisions, waits] = await Promise.all([
    executions.listAttempts(execution.id),
    executions.listUsages(execution.id),
    stepStore.listSteps(execution.id),
    jobs.listRevisions(execution.jobId),
    waitsFor(app, [execution]),
  ])
  const view = waitingView(execution, waits.get(execution.id))
  const starts = startsOf({ ...execution, attempts: tried, steps })
  return {
    ...view,
    attempts: attemptsOf(view, tried, usages),
    steps: stepViews(steps, execution, app.clock.now()),
    definition: starts.length === 0 ? null : definitionOf(revisions, starts),
  }
}

export function attemptsOf(
  view: ExecutionView,
  tried: readonly AttemptRow[],
  usages: readonly UsageRow[],
): AttemptView[] {
  const used = new Map(usages.map(({ fence, peakMemoryBytes, cpuMs }) => [fence, { peakMemoryBytes, cpuMs }]))
  return [...tried.map((attempt) => attemptView(attempt, used)), ...completion(view, used)]
}

/** By fence. */
type Used = ReadonlyMap<number, Usage>

function attemptView(
  { attempt, fence, outcome, nodeId, startedAt, finishedAt, error }: AttemptRow,
  used: Used,
): AttemptView {
  const started = startedAt === null ? null : new Date(startedAt)
  // A refused end wrote nothing of what it used: what is kept is of the end that was taken.
  const usage = outcome === 'refused' ? null : (used.get(fence) ?? null)
  return { attempt, outcome, nodeId, startedAt: started, finishedAt: new Date(finishedAt), error, usage }
}

/** Of a plain completion only the execution's own row tells. */
function completion(
  { state, attempt, fence, leasedBy, startedAt, finishedAt }: ExecutionView,
  used: Used,
): AttemptView[] {
  if (state !== 'completed' || finishedAt === null) return []
  const usage = used.get(fence) ?? null
  return [{ attempt, outcome: 'completed', nodeId: leasedBy, startedAt, finishedAt, error: null, usage }]
}
