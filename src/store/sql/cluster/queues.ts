/** Queues: what waits and runs in each, and whether somebody has paused it. */
import type { ChangeContext, QueueRow } from '../../store.ts'
import { writeAuditLog } from '../audit/audit-log.ts'
import { number, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import { type Row, rows, run, type Script } from '../runtime/script.ts'

/** One for each partial index, in its own words: asked for at once, all of history would be read. */
export const queueCountTexts = [
  `state IN ('pending', 'retrying')`,
  `state = 'running'`,
  `state = 'blocked'`,
].map(
  (unfinished) =>
    `SELECT queue, state, count(*) AS n FROM @live_executions WHERE ${unfinished} GROUP BY queue, state`,
)

export function* listQueues(): Script<QueueRow[]> {
  const counted: Row[] = []
  for (const counts of queueCountTexts) counted.push(...(yield* rows(counts)))
  const known = yield* rows('SELECT * FROM @queues')
  const named = yield* rows('SELECT DISTINCT queue FROM @jobs WHERE deleted_at IS NULL')
  const names = new Set([...named, ...counted].map((row) => text(row.queue)))
  for (const queue of known) names.add(text(queue.name))
  const count = (name: string, ...states: string[]) =>
    counted
      .filter((row) => text(row.queue) === name && states.includes(text(row.state)))
      .reduce((sum, row) => sum + number(row.n), 0)
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
