/** What enqueues share: the values of a draft, who holds a unique key, and when to give up. */
import { EvertickError } from '../../../core/error.ts'
import type { Enqueued, NewExecution } from '../../store.ts'
import type { HotScripts } from '../hot-scripts.ts'
import { startByRow } from '../jobs/job-columns.ts'
import { number, text } from '../runtime/rows.ts'
import { look, type Param, type Row, type Script } from '../runtime/script.ts'
import type { Scripts } from '../runtime/scripts.ts'
import { isUnfinished } from './states.ts'

/** By column, but for the job, which is still a name. */
export function valuesOf(draft: NewExecution) {
  return {
    job_name: draft.jobName,
    id: draft.id,
    scheduled_for: draft.scheduledFor,
    ready_at: draft.readyAt,
    queue: draft.queue,
    priority: draft.priority,
    input: inputText(draft),
    metadata: metadataText(draft),
    unique_key: draft.uniqueKey,
    created_at: draft.createdAt,
  }
}

/** What an enqueue writes, in the order of its statement. */
export const enqueuedNames = [
  'id',
  'job_id',
  'cause',
  'scheduled_for',
  'state',
  'ready_at',
  'start_by',
  'queue',
  'priority',
  'handler',
  'max_attempts',
  'input',
  'metadata',
  'unique_key',
  'created_at',
] as const

/** The same by column, where the job was read before: it has the `enqueueColumns`. */
export function enqueuedRow(draft: NewExecution, job: Row) {
  return {
    id: draft.id,
    job_id: text(job.id),
    cause: 'enqueue',
    scheduled_for: draft.scheduledFor,
    state: 'pending',
    ready_at: draft.readyAt,
    start_by: startByRow(draft.readyAt, job),
    queue: draft.queue ?? text(job.queue),
    priority: draft.priority ?? number(job.priority),
    handler: text(job.handler),
    max_attempts: number(job.max_attempts),
    input: inputText(draft),
    metadata: metadataText(draft),
    unique_key: draft.uniqueKey,
    created_at: draft.createdAt,
  } satisfies Readonly<Record<(typeof enqueuedNames)[number], Param>>
}

function inputText({ input }: NewExecution): string | null {
  return input === undefined ? null : JSON.stringify(input)
}

function metadataText({ metadata }: NewExecution): string | null {
  return Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata)
}

/** A unique key may become free before its holder is read, and a job may be created just after none was found. */
export const mostTries = 10

/** An id without a row is never returned: where nothing could be settled, nothing is acknowledged. */
export function unsettled(): EvertickError {
  return new EvertickError(
    'database_busy',
    'Nothing was enqueued: the job or its unique key changed at every try.',
    {
      next: 'Try again.',
    },
  )
}

export function pickUnmade(drafts: readonly NewExecution[], made: ReadonlySet<string>): NewExecution[] {
  return drafts.filter(({ id }) => !made.has(id))
}

const sameText = `
  SELECT e.id FROM @live_executions e JOIN @jobs j ON j.id = e.job_id
  WHERE j.name = ? AND j.deleted_at IS NULL AND e.unique_key = ? AND ${isUnfinished.replaceAll('state', 'e.state')}`

/** Notes which execution stands for each draft; returns the drafts that no execution stands for any more. */
export function* findSame(
  drafts: readonly NewExecution[],
  same: Map<string, string>,
): Script<NewExecution[]> {
  const free: NewExecution[] = []
  for (const draft of drafts) {
    const [holder] = yield* look(sameText, draft.jobName, draft.uniqueKey)
    if (holder === undefined) free.push(draft)
    else same.set(draft.id, text(holder.id))
  }
  return free
}

/** On a server the commit is the caller's, and so is its moment. */
export function* enqueueWithin(
  rows: readonly NewExecution[],
  hot: HotScripts,
  tellWithin: Scripts['tellWithin'],
): Script<Enqueued[]> {
  const enqueued = yield* hot.enqueueExecutions(rows)
  if (tellWithin !== null) yield tellWithin('work')
  return enqueued
}
