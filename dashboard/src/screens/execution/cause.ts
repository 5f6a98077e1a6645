/** Why an execution is there, as a sentence. */
import type { Execution } from '../../../../src/client/index.ts'
import { cancelWords } from '../../../../src/core/execution/execution.ts'
import { isFinal } from '../../../../src/core/execution/execution-state.ts'
import { absolute } from '../../words/times.ts'

export function causeSentence(
  { cause, scheduledFor, createdAt, caughtUp, retryOf }: Execution,
  zone: string | null,
): string {
  const due = absolute(scheduledFor, zone, true)
  if (retryOf !== null) return `Tried again after an earlier run for ${due}.`
  switch (cause) {
    case 'schedule':
      return `Made by its schedule, for the tick of ${due}.`
    case 'catch_up': {
      const place = caughtUp === null ? '' : `, ${caughtUp.index} of ${caughtUp.of}`
      return `Caught up: the tick of ${due} was missed${place}.`
    }
    case 'backfill':
      return `Made by a backfill, for the tick of ${due}.`
    case 'manual':
      return `Run by hand at ${absolute(createdAt, zone, true)}.`
    case 'enqueue':
      return `Enqueued at ${absolute(createdAt, zone, true)}.`
  }
}

export function cancelSentence({ cancelReason, cancelRequestedAt, state }: Execution): string | null {
  if (state === 'cancelled') return `Cancelled: ${cancelWords(cancelReason ?? 'no reason was given')}.`
  if (cancelRequestedAt === null) return null
  return isFinal(state)
    ? 'It was asked to stop, and ended by itself all the same.'
    : 'It was asked to stop, and has not yet.'
}
