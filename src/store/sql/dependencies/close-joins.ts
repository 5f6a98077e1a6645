/** What ends alone cannot settle: joins that miss a parent, periods that are over, and runs that found their job held. */
import { closed, type ParentLack } from '../../../core/dependency/join.ts'
import type { ClosedJoins } from '../../store.ts'
import { jobFrom, optionalText, text } from '../runtime/rows.ts'
import { row, rows, run, type Script } from '../runtime/script.ts'
import { settleEnded } from '../work/end-execution.ts'
import { isUnfinished } from '../work/states.ts'
import { joinFrom, type StoredJoin, writeJoin } from './join-rows.ts'
import { placeDependents } from './place-dependents.ts'
import { type News, newsOfLost, tellChildren } from './settle-dependents.ts'

const apartText = `SELECT DISTINCT job_id FROM @live_executions WHERE waits_for = 'place' LIMIT ?`

/** Nothing that could still meet it is under way: whatever ends makes what follows in the same transaction. */
const lostText = `
  SELECT * FROM @joins o WHERE o.state = 'open' AND o.close_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM @live_executions e WHERE e.root_id = o.root_id AND ${isUnfinished})
    AND NOT EXISTS (SELECT 1 FROM @live_executions e WHERE e.id = o.root_id AND ${isUnfinished})
  ORDER BY o.child_id, o.join_key LIMIT ? FOR UPDATE`

const overText = `
  SELECT * FROM @joins WHERE state = 'open' AND close_at <= ? ORDER BY child_id, join_key LIMIT ? FOR UPDATE`

export function* closeJoins(now: number, limit: number): Script<ClosedJoins> {
  const apart = (yield* rows(apartText, limit)).map(({ job_id }) => text(job_id))
  const ended = apart.length === 0 ? [] : yield* placeDependents(apart, now)
  const open = [...(yield* rows(lostText, limit)), ...(yield* rows(overText, now, limit))].map(joinFrom)
  const news: News[] = []
  for (const join of open) {
    const child = yield* row('SELECT * FROM @jobs WHERE id = ?', join.childId)
    if (child === null) continue
    const lacks = yield* lacksOf(join, now)
    const settled: StoredJoin = {
      ...join,
      parents: closed(join.parents, (job) => lacks.get(job) ?? 'missing'),
      state: 'not_made',
      reason: 'parents',
      closedAt: now,
      closeAt: null,
    }
    yield* writeJoin(settled)
    news.push(newsOfLost(settled, jobFrom(child), now))
  }
  ended.push(...(yield* tellChildren(news, now)))
  const after = yield* settleEnded(ended, now)
  return { closed: open.length, placed: apart.length, ...after }
}

const parentText = 'SELECT id, state FROM @jobs WHERE name = ? AND deleted_at IS NULL'
const lateText = `
  SELECT id FROM @live_executions WHERE job_id = ? AND scheduled_for >= ? AND scheduled_for < ? AND ${isUnfinished} LIMIT 1`

/** Why those that are still waited for did not come. */
function* lacksOf(join: StoredJoin, now: number): Script<ReadonlyMap<string, ParentLack>> {
  const lacks = new Map<string, ParentLack>()
  for (const { job, outcome } of join.parents) {
    if (outcome !== null) continue
    const parent = yield* row(parentText, job)
    if (parent === null) continue
    if (optionalText(parent.state) === 'paused') lacks.set(job, 'paused')
    const late = yield* row(lateText, text(parent.id), join.scheduledFor, join.periodTo ?? now)
    if (late !== null) lacks.set(job, 'late')
  }
  return lacks
}

const mostPurged = 1_000

/**
 * What nobody can ask for again: the run that was made is no longer kept, nor is any of its parents', which a retry would
 * tell of once more. From one key on, in their order; null at the end.
 */
export function* purgeJoins(before: number, after: string | null): Script<string | null> {
  const page = yield* rows(
    `SELECT * FROM @joins WHERE closed_at < ? AND join_key > ? ORDER BY join_key, child_id LIMIT ?`,
    before,
    after ?? '',
    mostPurged,
  )
  const old = page.map(joinFrom)
  const ids = new Set(old.flatMap(idsOf))
  const kept = new Set(
    (yield* rows('SELECT id FROM @job_executions WHERE id IN ?*', [...ids])).map(({ id }) => text(id)),
  )
  for (const [childId, joins] of Map.groupBy(old, (join) => join.childId)) {
    const keys = joins.filter((join) => !idsOf(join).some((id) => kept.has(id))).map(({ key }) => key)
    if (keys.length > 0) yield* rowsGone(childId, keys)
  }
  return page.length < mostPurged ? null : (old.at(-1)?.key ?? null)
}

function idsOf({ executionId, rootId, parents }: StoredJoin): string[] {
  return [executionId, rootId, ...parents.map((parent) => parent.executionId)].filter((id) => id !== null)
}

function* rowsGone(childId: string, keys: readonly string[]): Script<void> {
  yield* run('DELETE FROM @joins WHERE child_id = ? AND join_key IN ?*', childId, keys)
}
