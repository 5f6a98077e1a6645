/** Queues: what waits and runs in each, and whether somebody has paused it. */
import type { ExecutionState } from '../../../core/execution/execution-state.ts'
import type { ChangeContext, QueueRow } from '../../store.ts'
import { writeAuditLog } from '../audit/audit-log.ts'
import { executionStateOf, number, optionalNumber, optionalText, shownState, text } from '../runtime/rows.ts'
import { rows, run, type Script } from '../runtime/script.ts'
import { restText } from '../steps/step-rows.ts'

/** What may be claimed, in the words of its partial index. */
const claimable = `e.state IN ('pending', 'retrying')`
/** One for each partial index, in its own words: asked for at once, all of history would be read. */
export const unfinishedTexts = [claimable, `e.state = 'running'`, `e.state = 'blocked'`].map(
  (unfinished) =>
    `SELECT e.queue, e.state, count(*) AS n FROM @live_executions e WHERE ${unfinished} GROUP BY e.queue, e.state`,
)
/** The first of them, with what rests told apart from retries: only these are looked up among the steps. */
export const claimableText = `SELECT e.queue, e.state, ${restText} AS rests_for, count(*) AS n
  FROM @live_executions e WHERE ${claimable} GROUP BY e.queue, e.state, rests_for`

/** How many may be claimed, and how many rest until then, by queue and by the state that is shown of them. */
export function* countClaimable(): Script<{ queue: string; state: ExecutionState; count: number }[]> {
  return (yield* rows(claimableText)).map((row) => ({
    queue: text(row.queue),
    state: shownState(row),
    count: number(row.n),
  }))
}

export function* listQueues(): Script<QueueRow[]> {
  const counted = yield* countClaimable()
  for (const held of unfinishedTexts.slice(1)) {
    for (const { queue, state, n } of yield* rows(held))
      counted.push({ queue: text(queue), state: executionStateOf(state), count: number(n) })
  }
  const known = yield* rows('SELECT * FROM @queues')
  const named = yield* rows('SELECT DISTINCT queue FROM @jobs WHERE deleted_at IS NULL')
  const names = new Set([...named.map((row) => text(row.queue)), ...counted.map(({ queue }) => queue)])
  for (const queue of known) names.add(text(queue.name))
  const count = (name: string, ...states: ExecutionState[]) =>
    counted
      .filter(({ queue, state }) => queue === name && states.includes(state))
      .reduce((sum, each) => sum + each.count, 0)
  return [...names].sort().map((name) => {
    const paused = known.find((queue) => text(queue.name) === name)
    return {
      name,
      pausedAt: optionalNumber(paused?.paused_at),
      pausedBy: optionalText(paused?.paused_by),
      pausedReason: optionalText(paused?.paused_reason),
      pending: count(name, 'pending', 'retrying'),
      running: count(name, 'running'),
      blocked: count(name, 'blocked'),
      sleeping: count(name, 'sleeping'),
      waiting: count(name, 'waiting'),
    }
  })
}

export function* pauseQueue(
  name: string,
  reason: string | null,
  { now, actor, origin }: ChangeContext,
): Script<void> {
  const values = [now, actor, reason, name]
  const known = yield* run(
    'UPDATE @queues SET paused_at = ?, paused_by = ?, paused_reason = ? WHERE name = ?',
    ...values,
  )
  if (known === 0) {
    yield* run(
      'INSERT INTO @queues (paused_at, paused_by, paused_reason, name) VALUES (?, ?, ?, ?)',
      ...values,
    )
  }
  yield* writeAuditLog({
    at: now,
    actor,
    origin,
    action: 'queue.pause',
    subject: name,
    before: null,
    after: { reason },
  })
}

export function* resumeQueue(name: string, { now, actor, origin }: ChangeContext): Script<void> {
  yield* run(
    'UPDATE @queues SET paused_at = NULL, paused_by = NULL, paused_reason = NULL WHERE name = ?',
    name,
  )
  yield* writeAuditLog({
    at: now,
    actor,
    origin,
    action: 'queue.resume',
    subject: name,
    before: null,
    after: null,
  })
}
