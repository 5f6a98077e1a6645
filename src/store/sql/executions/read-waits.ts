/** What the executions of a page wait for: a handful of statements, however many they are. */
import { never } from '../../../core/execution/step.ts'
import type { WaitingRow } from '../../store.ts'
import { executionStateOf, number, optionalText, stepKindOf, text } from '../runtime/rows.ts'
import { type Row, rows, type Script } from '../runtime/script.ts'
import { isActive } from '../work/states.ts'

const waitingText = `SELECT e.id, e.job_id, e.queue, e.handler, e.state,
    CASE WHEN e.handler IN (SELECT h.handler FROM @node_handlers h) THEN 1 ELSE 0 END AS handled
  FROM @live_executions e WHERE e.id IN ?*`
const restsText = `SELECT s.execution_id, s.name, s.kind FROM @steps s JOIN @live_executions e ON e.id = s.execution_id
  WHERE s.execution_id IN ?* AND s.decided_at IS NULL AND s.rest_fence = e.fence ORDER BY COALESCE(s.ends_at, ${never}), s.name`
const pausedText =
  'SELECT name, paused_by, paused_reason FROM @queues WHERE name IN ?* AND paused_at IS NOT NULL'
const busyText = `SELECT queue, count(*) AS n FROM @live_executions
  WHERE state = 'running' AND leased_until > 0 AND queue IN ?* GROUP BY queue`
/** Running executions come first: they are the better explanation than ones that wait, too. */
const beforeText = `SELECT job_id, id, state FROM @live_executions
  WHERE job_id IN ?* AND ${isActive} AND cause <> 'enqueue'
  ORDER BY CASE WHEN state = 'running' THEN 0 ELSE 1 END, seq`

export function* readWaits(ids: readonly string[]): Script<WaitingRow[]> {
  if (ids.length === 0) return []
  const waiting = yield* rows(waitingText, ids)
  const queues = [...new Set(waiting.map(({ queue }) => text(queue)))]
  const blocked = [
    ...new Set(waiting.filter(({ state }) => state === 'blocked').map(({ job_id }) => text(job_id))),
  ]
  const rests = yield* rows(restsText, ids)
  const paused = yield* rows(pausedText, queues)
  const busy = yield* rows(busyText, queues)
  const active = blocked.length === 0 ? [] : yield* rows(beforeText, blocked)
  return waiting.map((row) => {
    const pause = paused.find(({ name }) => name === row.queue)
    const before = row.state === 'blocked' ? active.find(({ job_id }) => job_id === row.job_id) : undefined
    return {
      id: text(row.id),
      handler: text(row.handler),
      hasHandler: number(row.handled) === 1,
      queuePause: pause === undefined ? null : pauseFrom(pause),
      busy: number(busy.find(({ queue }) => queue === row.queue)?.n ?? 0),
      rests: rests
        .filter(({ execution_id }) => execution_id === row.id)
        .map(({ name, kind }) => ({ name: text(name), kind: stepKindOf(kind) })),
      before: before === undefined ? null : { id: text(before.id), state: executionStateOf(before.state) },
    }
  })
}

function pauseFrom({ paused_by, paused_reason }: Row): NonNullable<WaitingRow['queuePause']> {
  return { by: optionalText(paused_by) ?? 'somebody', reason: optionalText(paused_reason) }
}
