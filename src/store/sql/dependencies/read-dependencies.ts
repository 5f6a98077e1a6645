/** What people ask about jobs that come after others. */
import type { Dependencies, GraphEdge, JoinRow, Relative } from '../../store.ts'
import { jobStateOf, text } from '../runtime/rows.ts'
import { type Row, rows, type Script } from '../runtime/script.ts'
import { afterEndOf } from './edges.ts'
import { joinFrom } from './join-rows.ts'

const parentsText = `
  SELECT d.parent AS job, d.on_end, p.state FROM @dependencies d
  LEFT JOIN @jobs p ON p.name = d.parent AND p.deleted_at IS NULL
  WHERE d.child_id = ? AND d.ended_at IS NULL ORDER BY d.parent`

const childrenText = `
  SELECT c.name AS job, d.on_end, c.state FROM @dependencies d
  JOIN @jobs c ON c.id = d.child_id AND c.deleted_at IS NULL
  JOIN @jobs j ON j.name = d.parent
  WHERE j.id = ? AND d.ended_at IS NULL ORDER BY c.name`

export function* readDependencies(jobId: string): Script<Dependencies> {
  const parents = (yield* rows(parentsText, jobId)).map(relativeFrom)
  const children = (yield* rows(childrenText, jobId)).map(relativeFrom)
  return { parents, children }
}

function relativeFrom({ job, on_end, state }: Row): Relative {
  const isThere = state !== null && state !== undefined
  return { job: text(job), on: afterEndOf(on_end), state: isThere ? jobStateOf(state) : null }
}

export function* readGraph(): Script<GraphEdge[]> {
  const edges = yield* rows(
    `SELECT d.parent, c.name AS child, d.on_end FROM @dependencies d
     JOIN @jobs c ON c.id = d.child_id AND c.deleted_at IS NULL WHERE d.ended_at IS NULL ORDER BY d.parent, c.name`,
  )
  return edges.map(({ parent, child, on_end }) => ({
    parent: text(parent),
    child: text(child),
    on: afterEndOf(on_end),
  }))
}

export function* listJoins(jobId: string, limit: number): Script<JoinRow[]> {
  const joins = yield* rows(
    'SELECT * FROM @joins WHERE child_id = ? ORDER BY opened_at DESC, join_key DESC LIMIT ?',
    jobId,
    limit,
  )
  return joins.map(joinFrom)
}
