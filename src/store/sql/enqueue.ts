/** What the servers' enqueues share: the values of a draft, and who holds a unique key. */
import type { NewExecution } from '../store.ts'
import { text } from './rows.ts'
import type { Row, Script } from './script.ts'
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
    input: draft.input === undefined ? null : JSON.stringify(draft.input),
    metadata: Object.keys(draft.metadata).length === 0 ? null : JSON.stringify(draft.metadata),
    unique_key: draft.uniqueKey,
    created_at: draft.createdAt,
  }
}

export function pickUnmade(drafts: readonly NewExecution[], made: ReadonlySet<string>): NewExecution[] {
  return drafts.filter(({ id }) => !made.has(id))
}

const sameText = `
  SELECT e.id FROM @job_executions e JOIN @jobs j ON j.id = e.job_id
  WHERE j.name = ? AND j.deleted_at IS NULL AND e.unique_key = ? AND ${isUnfinished.replaceAll('state', 'e.state')}`

/** Notes whose execution stands for each draft; returns the drafts for which nobody's does any more. */
export function* findSame(
  drafts: readonly NewExecution[],
  same: Map<string, string>,
): Script<NewExecution[]> {
  const free: NewExecution[] = []
  for (const draft of drafts) {
    const params = [draft.jobName, draft.uniqueKey]
    const found: Row[] = yield { text: sameText, params, wants: 'rows', alone: true }
    if (found[0] === undefined) free.push(draft)
    else same.set(draft.id, text(found[0].id))
  }
  return free
}
