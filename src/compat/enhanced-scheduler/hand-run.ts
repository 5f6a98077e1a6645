/** A run that the app does by itself, as an execution of the engine: begun and ended here, under a lease of the caller's. */
import type { AppContext } from '../../app/app-context.ts'
import type { Ending } from '../../core/attempt/outcome.ts'
import { EvertickError } from '../../core/error.ts'
import type { Execution } from '../../core/execution/execution.ts'
import { storable } from '../../core/payload.ts'
import { errorFrom } from '../../engine/worker/outcome-signal.ts'
import type { Claim } from '../../store/store.ts'
import { type FinalStatus, type HandRunInput, scanIdKey, statesOf } from './history-entry.ts'

/** How a run ended. */
export interface RunEnd {
  readonly status: FinalStatus
  /** An error, or its message. Only of a run that failed or was cancelled. */
  readonly error?: unknown
  /** What links the run to its result. */
  readonly scanId?: string
  /** Added to what `startExecution` was given. */
  readonly metadata?: Readonly<Record<string, unknown>>
}

export const runEndNames = ['status', 'error', 'scanId', 'metadata'] as const

/** As long as a worker's, so that a crash is noticed as soon. */
export const handLeaseMs = 30_000
const holderMark = 'history:'

export interface BegunRun extends Claim {
  readonly metadata: Readonly<Record<string, unknown>>
}

export async function beginRun(
  app: AppContext,
  job: string,
  input: HandRunInput,
  metadata: Readonly<Record<string, unknown>>,
): Promise<BegunRun> {
  const now = app.clock.now()
  const stored = storable(metadata, 'metadata', app.maxPayloadBytes)
  const holder = `${holderMark}${app.nodeId}`
  const id = app.newId(now)
  const claim = await app.store.compat.beginExecution({
    id,
    job,
    holder,
    leaseMs: handLeaseMs,
    input,
    metadata: stored,
    now,
  })
  return { ...claim, metadata: stored }
}

/** The claim on a run that is still open and was begun by hand, whichever process began it. */
export function claimOf(execution: Execution): BegunRun {
  const { id, fence, state, leasedBy, metadata } = execution
  if (state !== 'running') throw notOpen(id, state)
  if (leasedBy?.startsWith(holderMark) === true) return { id, fence, metadata }
  throw new EvertickError('invalid_transition', `A node runs execution ${id}: only its handler can end it.`, {
    next: 'Return or throw in the handler, or cancel it with executions.cancel().',
  })
}

export async function endRun(app: AppContext, run: BegunRun, end: RunEnd): Promise<void> {
  const { scanId, metadata: more } = end
  const ending = endingOf(end)
  if (scanId !== undefined || more !== undefined) {
    const scan = scanId === undefined ? {} : { [scanIdKey]: scanId }
    const metadata = storable({ ...run.metadata, ...more, ...scan }, 'metadata', app.maxPayloadBytes)
    await app.store.compat.describeExecution(run, metadata)
  }
  const now = app.clock.now()
  const { refused } = await app.store.work.finishAttempts({
    nodeId: `${holderMark}${app.nodeId}`,
    attempts: [{ id: run.id, fence: run.fence, attempt: 1, ending, finishedAt: now }],
    now,
  })
  if (refused.length > 0) throw notOpen(run.id, 'ended')
}

function endingOf({ status, error }: RunEnd): Ending {
  if (status === 'success') {
    if (error === undefined) return { state: 'completed', result: null }
    throw new EvertickError('invalid_option', 'A run that succeeded has no error.', {
      field: 'error',
      next: "Leave it out, or say status: 'failed'.",
    })
  }
  if (status === 'failed') return { state: 'failed', error: errorFrom(error ?? 'The run failed.') }
  if (status === 'cancelled') {
    return { state: 'cancelled', reason: 'handler', error: error === undefined ? null : errorFrom(error) }
  }
  // Names the words that there are.
  statesOf(status)
  throw new EvertickError('invalid_option', 'A run cannot end as started.', {
    field: 'status',
    next: 'Use success, failed or cancelled.',
  })
}

function notOpen(id: string, state: string): EvertickError {
  return new EvertickError('invalid_transition', `Execution ${id} is ${state}: it has already ended.`, {
    next: 'Complete an execution once. One whose process stopped renewing its lease was ended as failed.',
  })
}
