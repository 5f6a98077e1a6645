/**
 * Enqueues what is part of something larger, or of a job whose ends others hear of: in one transaction that holds the jobs.
 * Plain work has statements of its own.
 */
import { never } from '../../../core/execution/step.ts'
import type { Enqueued, NewExecution, Ties } from '../../store.ts'
import { jobCancelled, jobNotFound } from '../jobs/create-job.ts'
import { enqueueColumns, isPlainJob } from '../jobs/job-columns.ts'
import { carriedKeys } from '../limits/carried-keys.ts'
import { withTurns } from '../limits/turns.ts'
import { specFrom, text } from '../runtime/rows.ts'
import { insertUntaken, type Row, type RowOf, rows, type Script } from '../runtime/script.ts'
import { tiedAndFollows } from './claimed.ts'
import { enqueuedRow, findSame, mostTries, pickUnmade, unsettled } from './enqueue.ts'

/** Held, so that what is known of them holds until the commit. */
const jobsText = `
  SELECT ${enqueueColumns}, spec FROM @jobs WHERE name IN ?* AND deleted_at IS NULL ORDER BY id FOR SHARE`

export const tiedColumns = {
  id: 'uuid',
  job_id: 'uuid',
  cause: 'text',
  scheduled_for: 'number',
  state: 'text',
  ready_at: 'number',
  start_by: 'number',
  queue: 'text',
  priority: 'number',
  handler: 'text',
  max_attempts: 'number',
  input: 'text',
  metadata: 'text',
  unique_key: 'text',
  created_at: 'number',
  tied: 'number',
  root_id: 'uuid',
  flow_id: 'uuid',
  flow_step: 'text',
  batch_id: 'uuid',
  waits_for: 'text',
  wait_ready_at: 'number',
  open_parents: 'number',
  retry_of: 'uuid',
  idempotency_key: 'text',
  limit_keys: 'text',
  fair_key: 'text',
  wait_key: 'text',
  turn: 'number',
} as const

export type TiedRow = RowOf<typeof tiedColumns>

const madeText = 'SELECT id FROM @live_executions WHERE id IN ?*'

export function* enqueueTied(drafts: readonly NewExecution[]): Script<Enqueued[]> {
  const jobs = yield* openJobs(drafts)
  const made = new Set<string>()
  const same = new Map<string, string>()
  // First without a lock, which would keep the holder's worker from ending it until a caller's commit.
  let open = yield* findSame(drafts, same)
  for (let tries = 0; open.length > 0; tries += 1) {
    if (tries === mostTries) throw unsettled()
    const wanted = open.map((draft) => tiedRow(draft, jobs.get(draft.jobName) ?? {}))
    yield* insertUntaken('live_executions', tiedColumns, yield* withTurns(wanted))
    const ids = open.map(({ id }) => id)
    for (const { id } of yield* rows(madeText, ids)) made.add(text(id))
    open = yield* findSame(pickUnmade(open, made), same, 'FOR SHARE')
  }
  return drafts.map(({ id }) => ({ id: same.get(id) ?? id, created: made.has(id) }))
}

/** The jobs of all drafts; throws if one of them takes no work. */
export function* openJobs(drafts: readonly NewExecution[]): Script<ReadonlyMap<string, Row>> {
  const names = [...new Set(drafts.map(({ jobName }) => jobName))]
  const jobs = new Map((yield* rows(jobsText, names)).map((job) => [text(job.name), job]))
  for (const name of names) {
    const job = jobs.get(name)
    if (job === undefined) throw jobNotFound(name)
    if (job.state === 'cancelled') throw jobCancelled(name)
  }
  return jobs
}

export function tiedRow(draft: NewExecution, job: Row): TiedRow {
  const { ties = {}, input, metadata } = draft
  const isTied = draft.ties !== undefined || draft.event !== undefined || !isPlainJob(job)
  const row = enqueuedRow(draft, job)
  const { queue, priority } = row
  const carried = carriedKeys(
    { id: row.job_id, spec: specFrom(job.spec) },
    { queue, priority, input, metadata },
  )
  return {
    ...row,
    // An event may change it until it begins, so it begins in its claim, as what has limits does.
    limit_keys: carried.limit_keys ?? (draft.event === undefined ? null : '[]'),
    fair_key: carried.fair_key,
    wait_key: null,
    turn: null,
    tied: ties.follows === true ? tiedAndFollows : isTied ? 1 : null,
    ...tiesRow(ties),
    ...heldUp(ties, draft.readyAt),
  }
}

function tiesRow({ rootId, flowId, flowStep, batchId, retryOf, idempotencyKey }: Ties) {
  return {
    root_id: rootId ?? null,
    flow_id: flowId ?? null,
    flow_step: flowStep ?? null,
    batch_id: batchId ?? null,
    retry_of: retryOf ?? null,
    idempotency_key: idempotencyKey ?? null,
  }
}

/** Overrides when it is ready. */
function heldUp({ openParents = 0 }: Ties, readyAt: number) {
  if (openParents === 0) return { waits_for: null, wait_ready_at: null, open_parents: null }
  return {
    ready_at: never,
    start_by: null,
    waits_for: 'dependency',
    wait_ready_at: readyAt,
    open_parents: openParents,
  }
}
