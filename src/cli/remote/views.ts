/** Turns what a server sends into the views of the library: instants arrive as text and become Dates. */
import type { AttemptView } from '../../app/execution/execution-detail.ts'
import type { LogLine } from '../../app/execution/executions.ts'
import type { StepView } from '../../app/execution/steps.ts'
import type { ExplainedTickView, ExplanationView } from '../../app/job/explain.ts'
import type { ExecutionView, JobView, WaitsView } from '../../app/views.ts'

/** The members of a view that are instants, but not those of type `unknown`, which hold the user's data. */
type InstantKey<View> = {
  [Key in keyof View]-?: unknown extends View[Key] ? never : Date extends View[Key] ? Key : never
}[keyof View]

/** Must list all of them, or it does not compile. */
export type Instants<View> = Readonly<Record<InstantKey<View>, true>>

export function viewOf<View>(body: object, instants: Instants<View>): View {
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      key in instants && typeof value === 'string' ? new Date(value) : (value as unknown),
    ]),
  ) as View
}

export function viewsOf<View>(bodies: readonly object[], instants: Instants<View>): View[] {
  return bodies.map((body) => viewOf(body, instants))
}

const executionInstants: Instants<ExecutionView> = {
  scheduledFor: true,
  readyAt: true,
  cancelRequestedAt: true,
  leasedUntil: true,
  createdAt: true,
  startedAt: true,
  finishedAt: true,
}

const jobInstants: Instants<JobView> = {
  nextRunAt: true,
  accountedUntil: true,
  lastRunAt: true,
  startAt: true,
  endAt: true,
  pausedAt: true,
  pausedUntil: true,
  createdAt: true,
  updatedAt: true,
}

export function executionOf(body: { readonly waits?: object | undefined }): ExecutionView {
  const { waits, ...rest } = body
  const view = viewOf<ExecutionView>(rest, executionInstants)
  return waits === undefined ? view : { ...view, waits: viewOf<WaitsView>(waits, { until: true }) }
}

export function jobOf(body: { readonly lastExecution: object | null }): JobView {
  const view = viewOf<JobView>(body, jobInstants)
  return { ...view, lastExecution: body.lastExecution === null ? null : executionOf(body.lastExecution) }
}

export const attemptInstants: Instants<AttemptView> = { startedAt: true, finishedAt: true }
export const stepInstants: Instants<StepView> = { startedAt: true, until: true, finishedAt: true }
export const logInstants: Instants<LogLine> = { at: true }
export const tickInstants: Instants<ExplainedTickView> = { scheduledFor: true, to: true }
export const rangeInstants: Instants<ExplanationView['ranges'][number]> = { from: true, to: true }
