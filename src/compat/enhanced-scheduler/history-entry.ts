/** One run of a schedule with the statuses of the enhanced scheduler: `started`, `success`, `failed`, `cancelled`. */
import { EvertickError } from '../../core/error.ts'
import type { Execution } from '../../core/execution/execution.ts'
import { type ExecutionState, unfinishedStates } from '../../core/execution/execution-state.ts'
import type { RunRow } from '../../store/store.ts'

export const historyStatuses = ['started', 'success', 'failed', 'cancelled'] as const
export type HistoryStatus = (typeof historyStatuses)[number]
export type FinalStatus = Exclude<HistoryStatus, 'started'>

export interface HistoryEntry {
  readonly executionId: string
  readonly scheduleId: string
  /** The id that `startExecution` was given, else the engine's id of the schedule's job. */
  readonly jobId: string
  readonly domain: string
  readonly status: HistoryStatus
  /** When its present attempt began; null where it was cancelled before it could. */
  readonly startedAt: Date | null
  readonly completedAt: Date | null
  readonly durationMs: number | null
  readonly error: string | null
  readonly errorDetails: { readonly name: string; readonly code?: string; readonly stack?: string } | null
  /** Given at completion, or `scanId` of what the schedule's handler returned. */
  readonly scanId: string | null
  readonly metadata: Readonly<Record<string, unknown>>
  /** Who runs or ran it: a node, or a history by hand. */
  readonly instance: string | null
}

/** What an execution that is done by hand carries beside its metadata. */
export interface HandRunInput {
  readonly domain: string
  readonly jobId: string | null
}

const states: Readonly<Record<HistoryStatus, readonly ExecutionState[]>> = {
  started: unfinishedStates,
  success: ['completed'],
  failed: ['failed'],
  cancelled: ['cancelled'],
}

export function statesOf(status: HistoryStatus): readonly ExecutionState[] {
  const executionStates: readonly ExecutionState[] | undefined = states[status]
  if (executionStates !== undefined) return executionStates
  throw new EvertickError('invalid_option', `${JSON.stringify(status)} is not a valid run status.`, {
    field: 'status',
    next: `Use one of ${historyStatuses.join(', ')}.`,
  })
}

export function statusOf({ state }: Pick<Execution, 'state'>): HistoryStatus {
  return historyStatuses.find((status) => states[status].includes(state)) ?? 'started'
}

/** The metadata's key for what `completeExecution` was given as `scanId`. */
export const scanIdKey = 'scanId'

export function entryOf({ job, execution }: RunRow): HistoryEntry {
  const { startedAt, finishedAt, error, metadata } = execution
  const { [scanIdKey]: given, ...own } = metadata
  const input = { ...(job.spec.input as object), ...(execution.input as object | null) } as HandRunInput
  return {
    executionId: execution.id,
    scheduleId: job.name,
    jobId: input.jobId ?? job.id,
    domain: input.domain,
    status: statusOf(execution),
    startedAt: startedAt === null ? null : new Date(startedAt),
    completedAt: finishedAt === null ? null : new Date(finishedAt),
    durationMs: startedAt === null || finishedAt === null ? null : finishedAt - startedAt,
    error: error?.message ?? null,
    errorDetails: error === null ? null : detailsOf(error),
    scanId: textOrNull(given ?? scanOf(execution.result)),
    metadata: own,
    instance: execution.leasedBy,
  }
}

function detailsOf({ name, code, stack }: NonNullable<Execution['error']>): HistoryEntry['errorDetails'] {
  return { name, ...(code === undefined ? {} : { code }), ...(stack === undefined ? {} : { stack }) }
}

function scanOf(result: unknown): unknown {
  return typeof result === 'object' && result !== null && scanIdKey in result ? result[scanIdKey] : null
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}
