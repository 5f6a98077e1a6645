import type { Execution } from '../../../core/execution/execution.ts'
import type { NewExecution, Ties } from '../../store.ts'

/** The retry of what was enqueued: the same instant, key, root and place in the queue. */
export function retryDraft(before: Execution, id: string, now: number, ties: Ties): NewExecution {
  const { jobName, scheduledFor, queue, priority, input, metadata, idempotencyKey } = before
  return {
    id,
    jobName,
    cause: 'enqueue',
    scheduledFor,
    readyAt: now,
    queue,
    priority,
    input: input ?? undefined,
    metadata,
    uniqueKey: null,
    createdAt: now,
    ties: { ...ties, rootId: before.rootId ?? before.id, retryOf: before.id, idempotencyKey },
  }
}
