/** What the waiting executions of a page come after: a handful of statements, however many they are. */
import type { Dependency } from '../../../core/flow/dependency-wait.ts'
import { json, number, text } from '../runtime/rows.ts'
import { rows, type Script } from '../runtime/script.ts'

/** Of one that comes after more, so many are looked up. */
const mostLooked = 50

const waitingText = `
  SELECT e.id, e.open_parents, s.flow_id, s.parents FROM @live_executions e
  JOIN @flow_steps s ON s.execution_id = e.id WHERE e.id IN ?*`
const openText = `
  SELECT s.flow_id, s.name FROM @flow_steps s JOIN @live_executions e ON e.id = s.execution_id
  WHERE s.flow_id IN ?* AND s.name IN ?* AND e.finished_at IS NULL ORDER BY s.position`
const batchText = `
  SELECT on_done_id, total, total - completed - failed - cancelled AS open FROM @batches WHERE on_done_id IN ?*`

/** By the execution's id. */
export function* readDependencies(ids: readonly string[]): Script<ReadonlyMap<string, Dependency>> {
  if (ids.length === 0) return new Map()
  const found = new Map<string, Dependency>()
  const waiting = (yield* rows(waitingText, ids)).map((step) => ({
    id: text(step.id),
    flowId: text(step.flow_id),
    open: number(step.open_parents),
    parents: (json(step.parents) as string[]).slice(0, mostLooked),
  }))
  const flowIds = [...new Set(waiting.map(({ flowId }) => flowId))]
  const names = [...new Set(waiting.flatMap(({ parents }) => parents))]
  const open = flowIds.length === 0 ? [] : yield* rows(openText, flowIds, names)
  for (const { id, flowId, parents, open: count } of waiting) {
    const unfinished = open.filter((step) => step.flow_id === flowId && parents.includes(text(step.name)))
    found.set(id, { kind: 'steps', names: unfinished.map(({ name }) => text(name)), open: count })
  }
  for (const batch of yield* rows(batchText, ids)) {
    found.set(text(batch.on_done_id), { kind: 'batch', open: number(batch.open), total: number(batch.total) })
  }
  return found
}
