/** Jobs, executions and ticks as the library returns them and as JSON shows them; dates become ISO text there. */

import { enqueuedBy, withoutEnqueuedBy } from '../core/execution/enqueued-by.ts'
import type { Cause, Execution, ExecutionError } from '../core/execution/execution.ts'
import { type ExecutionState, isFinal } from '../core/execution/execution-state.ts'
import { traceContextOf, withoutTrace } from '../core/execution/trace-context.ts'
import type { WaitReason, Waits } from '../core/execution/waits.ts'
import type { Health } from '../core/job/health.ts'
import type { Job, JobSpec } from '../core/job/job.ts'
import { type JobState, legalActions, type OperatorAction } from '../core/job/job-state.ts'
import { type JobStatus, jobStatus } from '../core/job/job-status.ts'
import type { JobOptions, JobSettings } from '../core/job/options.ts'
import { shownOptions, writtenOptions } from '../core/job/options-codec.ts'
import { sequenceOfJob } from '../core/job/sequence.ts'
import { durationText } from '../core/schedule/duration.ts'
import type { Schedule, ScheduleSpec } from '../core/schedule/schedule.ts'
import type { LastExecution } from '../store/store.ts'
import { type HandlerView, handlerView } from './handler/handler-view.ts'
import { scheduleWords } from './job/schedule-words.ts'

/** A schedule whose instants are text. */
export type ShownSchedule = TextInstants<Schedule>
type TextInstants<S> = S extends unknown ? { readonly [Key in keyof S]: Exclude<S[Key], Date> } : never

export interface JobView extends JobSettings {
  readonly id: string
  readonly name: string
  readonly status: JobStatus
  readonly state: JobState
  /** How it does, whatever its schedule says. */
  readonly health: Health
  readonly schedule: ShownSchedule | null
  readonly scheduleText: string | null
  readonly timezone: string
  readonly handler: HandlerView
  readonly nextRunAt: Date | null
  /** The cursor: every tick before it has its account. */
  readonly accountedUntil: Date
  readonly lastRunAt: Date | null
  readonly lastExecution: ExecutionView | null
  readonly currentRetryCount: number
  readonly isPaused: boolean
  readonly pausedAt: Date | null
  readonly pausedReason: string | null
  readonly pausedUntil: Date | null
  readonly pausedBy: string | null
  /** What its runs by schedule are given. */
  readonly input: unknown
  /** JSON Schema of its input, where its code knows one. */
  readonly inputSchema: Readonly<Record<string, unknown>> | null
  readonly revision: number
  readonly managedBy: string
  /** The options that an operator has changed on a job of code or a file, until its manager writes it anew. */
  readonly overrides: readonly string[]
  /** What is legal now. */
  readonly actions: readonly OperatorAction[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface ExecutionView {
  readonly id: string
  readonly jobId: string
  readonly job: string
  readonly state: ExecutionState
  readonly cause: Cause
  readonly account: 'fired' | 'caught_up' | null
  readonly scheduledFor: Date
  readonly readyAt: Date
  readonly queue: string
  readonly priority: number
  readonly attempt: number
  readonly maxAttempts: number
  readonly caughtUp: { readonly index: number; readonly of: number } | null
  readonly input: unknown
  readonly result: unknown
  readonly error: ExecutionError | null
  readonly cancelReason: string | null
  readonly cancelRequestedAt: Date | null
  readonly progress: number | null
  readonly progressNote: string | null
  readonly metadata: Readonly<Record<string, unknown>>
  /** Who has asked for it, over the API or by a trigger; null where a tick or code without a name has made it. */
  readonly enqueuedBy: string | null
  /** The trace that it was asked for in. */
  readonly traceId: string | null
  readonly idempotencyKey: string
  readonly retryOf: string | null
  readonly fence: number
  readonly leasedBy: string | null
  readonly leasedUntil: Date | null
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly durationMs: number | null
  /** In `get` and `list`, of what neither runs nor has ended: what it waits for. */
  readonly waits?: WaitsView
}

export interface WaitsView {
  readonly reason: WaitReason
  readonly sentence: string
  /** Where it waits for an instant. */
  readonly until?: Date
}

const date = (at: number | null) => (at === null ? null : new Date(at))

export function executionView(execution: Execution): ExecutionView {
  const {
    tickAt: _tick,
    startBy: _startBy,
    uniqueKey: _unique,
    caughtUpIndex,
    caughtUpOf,
    jobName,
    ...kept
  } = execution
  const { startedAt, finishedAt } = execution
  return {
    ...kept,
    job: jobName,
    metadata: withoutEnqueuedBy(withoutTrace(execution.metadata)),
    enqueuedBy: enqueuedBy(execution.metadata),
    traceId: traceContextOf(execution.metadata)?.traceId ?? null,
    scheduledFor: new Date(execution.scheduledFor),
    readyAt: new Date(execution.readyAt),
    caughtUp: caughtUpIndex === null || caughtUpOf === null ? null : { index: caughtUpIndex, of: caughtUpOf },
    cancelRequestedAt: date(execution.cancelRequestedAt),
    leasedUntil: date(execution.leasedUntil),
    createdAt: new Date(execution.createdAt),
    startedAt: date(startedAt),
    finishedAt: date(finishedAt),
    durationMs: startedAt === null || finishedAt === null ? null : finishedAt - startedAt,
  }
}

/** The same with what it waits for, where it does. */
export function waitingView(execution: Execution, waits: Waits | undefined): ExecutionView {
  const view = executionView(execution)
  if (waits === undefined) return view
  const { reason, sentence, until } = waits
  return { ...view, waits: { reason, sentence, ...(until === undefined ? {} : { until: new Date(until) }) } }
}

/** All but its health, which more than its own rows tells. */
export function jobView(
  job: Job,
  newest: LastExecution | null,
  now: number,
  overrides: readonly string[] = [],
): Omit<JobView, 'health'> {
  const { spec } = job
  const last = newest?.execution ?? null
  const schedule = spec.schedule === null ? null : scheduleView(spec.schedule)
  const unfinished = last !== null && !isFinal(last.state)
  return {
    id: job.id,
    name: job.name,
    status: jobStatus({
      state: job.state,
      hasSchedule: spec.schedule !== null,
      last: last?.state ?? null,
      newest: newest?.newestState ?? null,
    }),
    state: job.state,
    schedule,
    scheduleText: scheduleText(job),
    timezone: spec.schedule?.kind === 'cron' ? spec.schedule.timezone : 'UTC',
    handler: handlerView(spec.handler),
    nextRunAt: job.state === 'active' ? date(nextRun(job, now)) : null,
    accountedUntil: new Date(job.accountedUntil),
    lastRunAt: date(newest?.startedAt ?? null),
    lastExecution: last === null ? null : executionView(last),
    currentRetryCount: unfinished ? Math.max(0, last.attempt - 1) : 0,
    isPaused: job.state === 'paused',
    pausedAt: date(job.pause?.at ?? null),
    pausedReason: job.pause?.reason ?? null,
    pausedUntil: date(job.pause?.until ?? null),
    pausedBy: job.pause?.by ?? null,
    ...shownOptions(spec),
    input: spec.input,
    inputSchema: isOwnFunction(job) ? spec.inputSchema : null,
    revision: job.revision,
    managedBy: job.managedBy,
    overrides,
    actions: legalActions(job.state, last?.state ?? null),
    createdAt: new Date(job.createdAt),
    updatedAt: new Date(job.updatedAt),
  }
}

/** An operator may have given the job another handler: the schema is that of the code's own. */
function isOwnFunction({ name, spec: { handler } }: Job): boolean {
  return handler.type === 'function' && handler.name === name
}

/** A tick accounted ahead still lies before us; one that nobody has looked at yet lies behind. */
function nextRun(job: Job, now: number): number | null {
  if (job.spec.schedule?.kind === 'fixed_delay') return job.nextDueAt
  return job.nextDueAt === null ? null : sequenceOfJob(job).next(now)
}

/** The schedule as its user would write it. */
export function scheduleView(spec: ScheduleSpec): ShownSchedule {
  switch (spec.kind) {
    case 'cron':
      return { cron: spec.cron, timezone: spec.timezone }
    case 'every':
      return { every: durationText(spec.everyMs), anchor: anchorView(spec.anchorAt) }
    case 'fixed_delay':
      return { fixedDelay: durationText(spec.delayMs) }
    case 'at':
      return { at: new Date(spec.at).toISOString() }
  }
}

/** From the stored spec back to the options that its user would write. */
export function optionsOfSpec(spec: JobSpec): JobOptions {
  return {
    ...(spec.schedule === null ? {} : { schedule: scheduleView(spec.schedule) }),
    ...writtenOptions(spec),
  }
}

function anchorView(anchorAt: number): string {
  return anchorAt === 0 ? 'epoch' : new Date(anchorAt).toISOString()
}

/** The words of a schedule; an interval that counts from its job's creation, as most do, does not say so. */
function scheduleText({ name, createdAt, spec: { schedule } }: Job): string | null {
  if (schedule === null) return null
  const view = scheduleView(schedule)
  const plain = schedule.kind === 'every' && schedule.anchorAt === createdAt && 'every' in view
  return scheduleWords(plain ? { every: view.every } : view, name)
}
