/**
 * What belongs together goes together: an execution of a flow or a batch stays while anything of that is unfinished or
 * kept, by the retention of whatever job. The execution that follows a batch is one of it.
 */
import { isFinal } from '../../../core/execution/execution-state.ts'
import { mayGo, type NewestExecutions } from '../../../core/history/retention.ts'
import type { Job } from '../../../core/job/job.ts'
import { executionStateOf, jobFrom, number, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import { type Row, rows, run, type Script } from '../runtime/script.ts'
import { tiedAndFollows } from '../work/claimed.ts'
import type { Ended } from './fold-executions.ts'

/** Of each group and job, how its newest in each state stands: what may go is older, and ended earlier. */
const grouped = 'GROUP BY g.group_id, e.job_id, e.state'
const counted = 'g.group_id, e.job_id, e.state, max(e.seq) AS seq, max(e.finished_at) AS finished_at'
const flowsText = `
  SELECT ${counted} FROM (
    SELECT flow_id AS group_id, execution_id FROM @flow_steps WHERE flow_id IN ?*
    UNION ALL SELECT flow_id, execution_id FROM @flow_retries WHERE flow_id IN ?*) g
  JOIN @job_executions e ON e.id = g.execution_id ${grouped}`
const batchesText = `
  SELECT ${counted} FROM (
    SELECT batch_id AS group_id, execution_id FROM @batch_members WHERE batch_id IN ?*
    UNION ALL SELECT id, on_done_id FROM @batches WHERE id IN ?* AND on_done_id IS NOT NULL) g
  JOIN @job_executions e ON e.id = g.execution_id ${grouped}`
const unfinishedText = `
  SELECT id FROM @flows WHERE id IN ?* AND finished_at IS NULL
  UNION ALL SELECT id FROM @batches WHERE id IN ?* AND done_at IS NULL`
const followedText = 'SELECT id, on_done_id FROM @batches WHERE on_done_id IN ?*'

/** How a job's newest executions stand; null where it keeps all. */
export type NewestOf = (job: Job) => Script<NewestExecutions | null>

/** Those of these that no flow and no batch keeps. `own` is their job, as it is purged. */
export function* withoutKeptGroups(
  own: Job,
  going: readonly Ended[],
  now: number,
  newestOf: NewestOf,
): Script<Ended[]> {
  const followed = yield* batchesBefore(going)
  const groupsOf = ({ id, written }: Ended) =>
    [optionalText(written.flow_id), optionalText(written.batch_id), followed.get(id) ?? null].filter(
      (group) => group !== null,
    )
  const groups = [...new Set(going.flatMap(groupsOf))]
  if (groups.length === 0) return [...going]
  const kept = new Set((yield* rows(unfinishedText, groups, groups)).map(({ id }) => text(id)))
  const parts = [...(yield* rows(flowsText, groups, groups)), ...(yield* rows(batchesText, groups, groups))]
  const goes = yield* whoMayGo(own, parts, now, newestOf)
  for (const part of parts) if (!goes(part)) kept.add(text(part.group_id))
  return going.filter((ended) => !groupsOf(ended).some((group) => kept.has(group)))
}

function* batchesBefore(going: readonly Ended[]): Script<ReadonlyMap<string, string>> {
  const following = going.filter(
    ({ written }) => optionalNumber(written.tied) === tiedAndFollows && written.flow_id === null,
  )
  if (following.length === 0) return new Map()
  const batches = yield* rows(
    followedText,
    following.map(({ id }) => id),
  )
  return new Map(batches.map(({ id, on_done_id }) => [text(on_done_id), text(id)]))
}

function* whoMayGo(
  own: Job,
  parts: readonly Row[],
  now: number,
  newestOf: NewestOf,
): Script<(part: Row) => boolean> {
  const others = [...new Set(parts.map(({ job_id }) => text(job_id)))].filter((id) => id !== own.id)
  const jobs =
    others.length === 0 ? [] : (yield* rows('SELECT * FROM @jobs WHERE id IN ?*', others)).map(jobFrom)
  const newest = new Map<string, { readonly job: Job; readonly newest: NewestExecutions | null }>()
  for (const job of [own, ...jobs]) newest.set(job.id, { job, newest: yield* newestOf(job) })
  return ({ job_id, state, seq, finished_at }) => {
    const of = newest.get(text(job_id))
    const shown = executionStateOf(state)
    if (!isFinal(shown) || of === undefined || of.newest === null) return false
    const ended = { seq: number(seq), state: shown, finishedAt: number(finished_at) }
    return mayGo(of.job.spec.retention, ended, of.newest, now)
  }
}

export interface Groups {
  readonly flows: readonly string[]
  readonly batches: readonly string[]
}

/** Which flows and batches these are of; asked before they are deleted. */
export function* groupsOf(ids: readonly string[]): Script<Groups> {
  const found = yield* rows(
    `SELECT DISTINCT flow_id, batch_id FROM @finished_executions
     WHERE id IN ?* AND (flow_id IS NOT NULL OR batch_id IS NOT NULL)`,
    ids,
  )
  const followed = yield* rows(followedText, ids)
  const some = (values: readonly (string | null)[]) => [...new Set(values.filter((id) => id !== null))]
  return {
    flows: some(found.map(({ flow_id }) => optionalText(flow_id))),
    batches: some([
      ...found.map(({ batch_id }) => optionalText(batch_id)),
      ...followed.map(({ id }) => text(id)),
    ]),
  }
}

const emptyFlowsText = `
  SELECT f.id FROM @flows f WHERE f.id IN ?* AND NOT EXISTS (
    SELECT 1 FROM @flow_steps s JOIN @job_executions e ON e.id = s.execution_id WHERE s.flow_id = f.id)`
const emptyBatchesText = `
  SELECT b.id FROM @batches b WHERE b.id IN ?*
    AND NOT EXISTS (SELECT 1 FROM @job_executions e WHERE e.id = b.on_done_id)
    AND NOT EXISTS (
      SELECT 1 FROM @batch_members m JOIN @job_executions e ON e.id = m.execution_id WHERE m.batch_id = b.id)`

/** Those of which no execution is left. */
export function* forgetGroups({ flows, batches }: Groups): Script<void> {
  if (flows.length > 0) {
    const gone = (yield* rows(emptyFlowsText, flows)).map(({ id }) => text(id))
    for (const table of ['flow_edges', 'flow_retries', 'flow_steps'])
      yield* run(`DELETE FROM @${table} WHERE flow_id IN ?*`, gone)
    yield* run('DELETE FROM @flows WHERE id IN ?*', gone)
  }
  if (batches.length === 0) return
  const gone = (yield* rows(emptyBatchesText, batches)).map(({ id }) => text(id))
  yield* run('DELETE FROM @batch_members WHERE batch_id IN ?*', gone)
  yield* run('DELETE FROM @batches WHERE id IN ?*', gone)
}

const emptyKeptMs = 30 * 86_400_000

/** Batches that had nothing in them, and nothing after them: no execution takes them along. */
export function* forgetEmptyBatches(now: number): Script<void> {
  yield* run('DELETE FROM @batches WHERE total = 0 AND on_done_id IS NULL AND done_at < ?', now - emptyKeptMs)
}
