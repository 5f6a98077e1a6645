/**
 * Enqueues, by whichever way the work needs. Plain work has statements of its own; what is part of something larger, or of a
 * job whose ends others hear of, is written here, in one transaction that holds the jobs.
 */
import { never } from '../../../core/execution/step.ts'
import type { Enqueued, NewExecution, Ties } from '../../store.ts'
import type { HotScripts } from '../hot-scripts.ts'
import { jobCancelled, jobNotFound } from '../jobs/create-job.ts'
import { enqueueColumns, isPlainJob } from '../jobs/job-columns.ts'
import { text } from '../runtime/rows.ts'
import { insertUntaken, type Row, type RowOf, rows, type Script } from '../runtime/script.ts'
import type { Scripts } from '../runtime/scripts.ts'
import { enqueuedRow, findSame, mostTries, pickUnmade, unsettled } from './enqueue.ts'

export function* enqueueExecutions(drafts: readonly NewExecution[], hot: HotScripts): Script<Enqueued[]> {
  const plain = drafts.every(({ ties }) => ties === undefined)
  return (plain ? yield* hot.enqueueExecutions(drafts) : null) ?? (yield* enqueueTied(drafts))
}

/** On a server the commit is the caller's, and so is its moment. */
export function* enqueueWithin(
  drafts: readonly NewExecution[],
  hot: HotScripts,
  tellWithin: Scripts['tellWithin'],
): Script<Enqueued[]> {
  const enqueued = yield* enqueueExecutions(drafts, hot)
  if (tellWithin !== null) yield tellWithin('work')
  return enqueued
}

/** Held, so that what is known of them holds until the commit. */
const jobsText = `
  SELECT ${enqueueColumns} FROM @jobs WHERE name IN ?* AND deleted_at IS NULL ORDER BY id FOR SHARE`

const columns = {
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
} as const

const madeText = 'SELECT id FROM @live_executions WHERE id IN ?*'

function* enqueueTied(drafts: readonly NewExecution[]): Script<Enqueued[]> {
  const jobs = yield* openJobs(drafts)
  const made = new Set<string>()
  const same = new Map<string, string>()
  // First without a lock, which would keep the holder's worker from ending it until a caller's commit.
  let open = yield* findSame(drafts, same)
  for (let tries = 0; open.length > 0; tries += 1) {
    if (tries === mostTries) throw unsettled()
    const wanted = open.map((draft) => tiedRow(draft, jobs.get(draft.jobName) ?? {}))
    yield* insertUntaken('live_executions', columns, wanted)
    const ids = open.map(({ id }) => id)
    for (const { id } of yield* rows(madeText, ids)) made.add(text(id))
    open = yield* findSame(pickUnmade(open, made), same, 'FOR SHARE')
  }
  return drafts.map(({ id }) => ({ id: same.get(id) ?? id, created: made.has(id) }))
}

/** The jobs of all drafts; throws if one of them takes no work. */
function* openJobs(drafts: readonly NewExecution[]): Script<ReadonlyMap<string, Row>> {
  const names = [...new Set(drafts.map(({ jobName }) => jobName))]
  const jobs = new Map((yield* rows(jobsText, names)).map((job) => [text(job.name), job]))
  for (const name of names) {
    const job = jobs.get(name)
    if (job === undefined) throw jobNotFound(name)
    if (job.state === 'cancelled') throw jobCancelled(name)
  }
  return jobs
}

function tiedRow(draft: NewExecution, job: Row): RowOf<typeof columns> {
  const { ties = {} } = draft
  const isTied = draft.ties !== undefined || !isPlainJob(job)
  return {
    ...enqueuedRow(draft, job),
    tied: isTied ? 1 : null,
    ...tiesRow(ties),
    ...heldUp(ties, draft.readyAt),
  }
}

function tiesRow({ rootId, flowId, flowStep, batchId }: Ties) {
  return {
    root_id: rootId ?? null,
    flow_id: flowId ?? null,
    flow_step: flowStep ?? null,
    batch_id: batchId ?? null,
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
