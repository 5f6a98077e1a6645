/** Enqueue, by hand for this engine: the jobs are read and the executions made by one statement. */

import { keysOf } from '../../core/table-keys.ts'
import { jobCancelled, jobNotFound } from '../sql/jobs/create-job.ts'
import { startByText } from '../sql/jobs/job-columns.ts'
import { text } from '../sql/runtime/rows.ts'
import { look, type Param, rows, rowsAlone, runAlone, type Script } from '../sql/runtime/script.ts'
import { findSame, mostTries, pickUnmade, unsettled, valuesOf } from '../sql/work/enqueue.ts'
import type { Enqueued, NewExecution } from '../store.ts'
import { batchParams, batchText } from './batch.ts'

/** All drafts, or none if one of their jobs takes no work. */
const draftColumns = {
  id: 'uuid',
  job_name: 'text',
  scheduled_for: 'number',
  ready_at: 'number',
  queue: 'text',
  priority: 'number',
  input: 'text',
  metadata: 'text',
  unique_key: 'text',
  created_at: 'number',
} as const
const draftNames = keysOf(draftColumns)

const draft = batchText(draftColumns)
const enqueueText = `
  WITH draft AS (
    SELECT ${draftNames.map((name) => `${draft.valueOf(name)} AS ${name}`).join(', ')}, c.number, j.id AS job_id,
      j.state AS job_state, j.handler, j.max_attempts, ${startByText(draft.valueOf('ready_at'))} AS start_by,
      j.queue AS job_queue, j.priority AS job_priority
    FROM ${draft.from} LEFT JOIN @jobs j ON j.name = ${draft.valueOf('job_name')} AND j.deleted_at IS NULL
  )
  INSERT INTO @live_executions (id, job_id, cause, scheduled_for, state, ready_at, start_by, queue, priority, handler,
    max_attempts, input, metadata, unique_key, created_at)
  SELECT id, job_id, 'enqueue', scheduled_for, 'pending', ready_at, start_by,
    COALESCE(queue, job_queue), COALESCE(priority, job_priority), handler, max_attempts, input, metadata, unique_key,
    created_at
  FROM draft
  WHERE NOT EXISTS (SELECT 1 FROM draft WHERE job_id IS NULL OR job_state = 'cancelled')
  ORDER BY number`

/** The same for a single one, whose values are in this order: no JSON to read, a shorter plan. */
const enqueueOneText = `
  INSERT INTO @live_executions (id, job_id, cause, scheduled_for, state, ready_at, start_by, queue, priority, handler,
    max_attempts, input, metadata, unique_key, created_at)
  SELECT $2::uuid, j.id, 'enqueue', $3::bigint, 'pending', $4::bigint, ${startByText('$4::bigint')}, COALESCE($5, j.queue),
    COALESCE($6::int, j.priority), j.handler, j.max_attempts, $7, $8, $9, $10::bigint
  FROM @jobs j WHERE j.name = $1 AND j.deleted_at IS NULL AND j.state <> 'cancelled'`

/** A unique key that is taken makes no row and no error. Only where there is a key: this costs a fifth of an enqueue. */
const unlessTaken = 'ON CONFLICT DO NOTHING RETURNING id'

const refusedText = `
  SELECT name, state FROM @jobs WHERE name = ANY($1) AND deleted_at IS NULL`

/** Only rows that were made are acknowledged: a job may appear right after the statement saw none. */
export function* enqueueExecutions(drafts: readonly NewExecution[]): Script<Enqueued[]> {
  if (drafts.some(({ uniqueKey }) => uniqueKey !== null)) return yield* enqueueUnique(drafts)
  for (let tries = 0; tries < mostTries; tries += 1) {
    const { text: enqueue, params } = enqueueOf(drafts)
    const made = yield* runAlone(enqueue, ...params)
    if (made === drafts.length) return drafts.map(({ id }) => ({ id, created: true }))
    yield* refuse(drafts)
  }
  throw unsettled()
}

function* enqueueUnique(drafts: readonly NewExecution[]): Script<Enqueued[]> {
  const made = new Set<string>()
  const same = new Map<string, string>()
  // Of several, some may be made before another turns out to be impossible: then none may stay.
  const insert = drafts.length === 1 ? rowsAlone : rows
  let open = drafts
  for (let tries = 0; tries < mostTries; tries += 1) {
    const { text: enqueue, params } = enqueueOf(open)
    const inserted = yield* insert(`${enqueue} ${unlessTaken}`, ...params)
    if (inserted.length === 0) yield* refuse(open)
    for (const { id } of inserted) made.add(text(id))
    open = yield* findSame(pickUnmade(open, made), same)
    if (open.length === 0) return drafts.map(({ id }) => ({ id: same.get(id) ?? id, created: made.has(id) }))
  }
  throw unsettled()
}

function enqueueOf(drafts: readonly NewExecution[]): { readonly text: string; readonly params: Param[] } {
  const [only] = drafts.length === 1 ? drafts : []
  if (only !== undefined) return { text: enqueueOneText, params: Object.values(valuesOf(only)) }
  return { text: enqueueText, params: batchParams(draftColumns, drafts.map(valuesOf)) }
}

/** Returns only where every job takes work by now. */
function* refuse(drafts: readonly NewExecution[]): Script<void> {
  const names = [...new Set(drafts.map(({ jobName }) => jobName))]
  const states = new Map((yield* look(refusedText, names)).map((job) => [text(job.name), text(job.state)]))
  for (const name of names) {
    if (!states.has(name)) throw jobNotFound(name)
    if (states.get(name) === 'cancelled') throw jobCancelled(name)
  }
}
