/**
 * Who comes after whom, as rows. A change of a job's `after` ends the rows that held and begins others, in the transaction
 * that changes the job; a run is followed by those that held when all of it began.
 */
import type { Edge, Per } from '../../../core/dependency/edge.ts'
import { type Graph, refuseGraph } from '../../../core/dependency/graph.ts'
import { afterWords } from '../../../core/job/after.ts'
import type { Job, JobSpec } from '../../../core/job/job.ts'
import { keysOf } from '../../../core/table-keys.ts'
import { number, oneOf, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import { hold, insertAll, type Row, row, rows, run, type Script } from '../runtime/script.ts'

export const afterEndOf = oneOf('end of a parent', keysOf(afterWords))
export const joinModeOf = oneOf('way to join', ['all', 'any'])

/** With the instants from which and until which it holds. */
export interface StoredEdge extends Edge {
  readonly madeAt: number
  readonly endedAt: number | null
}

export function edgeFrom(edge: Row): StoredEdge {
  const length = optionalText(edge.per_length)
  return {
    childId: text(edge.child_id),
    parent: text(edge.parent),
    on: afterEndOf(edge.on_end),
    join: joinModeOf(edge.join_mode),
    per: length === null ? null : { length, timezone: text(edge.per_zone) },
    madeAt: number(edge.made_at),
    endedAt: optionalNumber(edge.ended_at),
  }
}

export function perOf({ per: { length, timezone } }: Pick<JobSpec, 'per'>): Per | null {
  return length === null ? null : { length, timezone }
}

/** Before any job is held, by whoever changes edges; by whoever makes a job, shared: its name may be waited for. */
export function* holdGraph(lock: 'FOR UPDATE' | 'FOR SHARE'): Script<void> {
  yield* hold(`SELECT version FROM @dependency_graph WHERE id = 1 ${lock}`)
}

function edgesOf({ after, join, per }: JobSpec): string {
  return JSON.stringify([after, after.length === 0 ? null : [join, per]])
}

export function changesEdges(before: JobSpec | null, after: JobSpec): boolean {
  return before === null ? after.after.length > 0 : edgesOf(before) !== edgesOf(after)
}

/** Holds the graph and, in the order of their ids, the jobs on both sides of the edges, the changed one among them. */
export function* holdFamily(job: Pick<Job, 'name' | 'spec'>, after: JobSpec): Script<void> {
  yield* holdGraph('FOR UPDATE')
  const names = [...new Set([job.name, ...job.spec.after, ...after.after].map(nameOf))]
  yield* hold('SELECT id FROM @jobs WHERE name IN ?* AND deleted_at IS NULL ORDER BY id FOR UPDATE', names)
}

function nameOf(job: string | { readonly job: string }): string {
  return typeof job === 'string' ? job : job.job
}

const edgeColumns = {
  child_id: 'uuid',
  parent: 'text',
  revision: 'number',
  on_end: 'text',
  join_mode: 'text',
  per_length: 'text',
  per_zone: 'text',
  made_at: 'number',
} as const

/** The caller holds the job, and writes its row. */
export function* changeEdges(
  { id, name, revision }: Pick<Job, 'id' | 'name' | 'revision'>,
  before: JobSpec | null,
  after: JobSpec,
  now: number,
): Script<void> {
  const was = before?.after ?? []
  const becomes = after.after
  if (was.length + becomes.length === 0) return
  if (was.length > 0) {
    yield* run('UPDATE @dependencies SET ended_at = ? WHERE child_id = ? AND ended_at IS NULL', now, id)
  }
  if (becomes.length > 0) {
    const per = perOf(after)
    yield* insertAll(
      'dependencies',
      edgeColumns,
      becomes.map(({ job, on }) => ({
        child_id: id,
        parent: job,
        revision,
        on_end: on,
        join_mode: after.join,
        per_length: per?.length ?? null,
        per_zone: per?.timezone ?? null,
        made_at: now,
      })),
    )
    refuseGraph(yield* loadGraph(), name)
  }
  for (const parent of [...new Set([...was, ...becomes].map(nameOf))].sort()) yield* noteFollowers(parent)
}

/** Its executions say that their ends are heard. Whoever has seen the job without it looks again: its version grows. */
function* noteFollowers(parent: string): Script<void> {
  yield* run(
    `UPDATE @jobs SET followed = ?, version = version + 1 WHERE name = ? AND deleted_at IS NULL`,
    yield* followersOf(parent),
    parent,
  )
}

/** How many jobs come after the one of this name; null where none does. */
export function* followersOf(parent: string): Script<number | null> {
  const found = yield* row(
    'SELECT count(*) AS n FROM @dependencies WHERE parent = ? AND ended_at IS NULL',
    parent,
  )
  const followers = number(found?.n ?? 0)
  return followers === 0 ? null : followers
}

function* loadGraph(): Script<Graph> {
  const found = yield* rows(
    `SELECT d.*, j.name FROM @dependencies d JOIN @jobs j ON j.id = d.child_id
     WHERE d.ended_at IS NULL AND j.deleted_at IS NULL ORDER BY d.child_id, d.parent`,
  )
  const jobs = Map.groupBy(found, ({ name }) => text(name))
  return new Map(
    [...jobs].map(([name, edges]) => {
      const own = edges.map(edgeFrom)
      const [first] = own
      const parents = own.map(({ parent }) => parent)
      return [name, { name, parents, join: first?.join ?? 'all', byPeriod: first?.per !== null }] as const
    }),
  )
}
