/** Why an execution was created or cancelled, as a sentence. */
import type { Execution } from '../../../../src/client/index.ts'
import { cancelWords } from '../../../../src/core/execution/execution.ts'
import { isFinal } from '../../../../src/core/execution/execution-state.ts'
import { absolute } from '../../words/times.ts'

export function causeSentence(
  { cause, scheduledFor, createdAt, caughtUp, retryOf }: Execution,
  zone: string | null,
): string {
  const due = absolute(scheduledFor, zone, true)
  if (retryOf !== null) return `A retry of an earlier run for ${due}.`
  switch (cause) {
    case 'schedule':
      return `Created by the schedule for the tick at ${due}.`
    case 'catch_up': {
      const place = caughtUp === null ? '' : `, ${caughtUp.index} of ${caughtUp.of}`
      return `Caught up: the tick at ${due} was missed${place}.`
    }
    case 'backfill':
      return `Created by a backfill for the tick at ${due}.`
    case 'manual':
      return `Triggered manually at ${absolute(createdAt, zone, true)}.`
    case 'enqueue':
      return `Enqueued at ${absolute(createdAt, zone, true)}.`
  }
}

export function cancelSentence({ cancelReason, cancelRequestedAt, state }: Execution): string | null {
  if (state === 'cancelled') return `Cancelled: ${cancelWords(cancelReason ?? 'no reason was given')}.`
  if (cancelRequestedAt === null) return null
  return isFinal(state)
    ? 'It was asked to stop, but finished on its own.'
    : 'It was asked to stop, and has not stopped yet.'
}
