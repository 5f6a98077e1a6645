/**
 * What has become of executions lately, for whoever watches from another node. No index orders them by their last change,
 * and none is worth its price on the hot path; three others carry it: the primary key for what is new, the leases for
 * what runs, and the ids of what was unfinished at the last look.
 */
import type { ExecutionMark, RecentExecutions, RecentQuery } from '../../store.ts'
import { number, optionalNumber, shownState, text } from '../runtime/rows.ts'
import { type Row, rows, type Script } from '../runtime/script.ts'
import { restText } from '../steps/step-rows.ts'

// LEFT, or MariaDB begins with the jobs and sorts every execution there is.
const marks = (
  table: string,
) => `SELECT e.seq, e.id, e.state, e.attempt, e.progress, ${restText} AS rests_for, j.name AS job_name
  FROM ${table} e LEFT JOIN @jobs j ON j.id = e.job_id`
/** Those whose lease is youngest. What is not leased is null there, and MariaDB's index, which has all rows, skips it so. */
const runningText = `${marks('@live_executions')} WHERE e.state = 'running' AND e.leased_until > 0 ORDER BY e.leased_until DESC LIMIT ?`
const freshText = `${marks('@job_executions')} WHERE e.seq > ? ORDER BY e.seq DESC LIMIT ?`

const namedText = `${marks('@job_executions')} WHERE e.id IN ?*`

/** For the test that looks at their plans. */
export const recentTexts = { freshText, runningText, namedText }

export function* recentExecutions({ afterSeq, ids, limit }: RecentQuery): Script<RecentExecutions> {
  const made = yield* rows(freshText, afterSeq, limit)
  const held = yield* rows(runningText, limit)
  const seen = new Map([...made, ...held].map((row) => [text(row.id), markFrom(row)]))
  const unseen = ids.filter((id) => !seen.has(id))
  if (unseen.length > 0) {
    for (const row of yield* rows(namedText, unseen)) seen.set(text(row.id), markFrom(row))
  }
  return { marks: [...seen.values()], more: made.length === limit || held.length === limit }
}

function markFrom(row: Row): ExecutionMark {
  return {
    seq: number(row.seq),
    id: text(row.id),
    job: text(row.job_name ?? ''),
    state: shownState(row),
    attempt: number(row.attempt),
    progress: optionalNumber(row.progress),
  }
}
