/** Jobs after jobs: what an end leads to is there with it, once, and under its root. */
import { counts, type ParentOutcome } from '../../../src/core/dependency/edge.ts'
import { isFinal } from '../../../src/core/execution/execution-state.ts'
import { madeAt } from '../../../src/core/id.ts'
import type { AfterEnd } from '../../../src/core/job/after.ts'
import type { Change, EdgeRow, ExecutionRow, JoinRow } from './change-log.ts'
import type { Model } from './model.ts'
import type { Rule } from './rules.ts'
import { Violation } from './violation.ts'

export class DependencyRules {
  readonly #model: Model
  readonly #edges = new Map<string, EdgeRow>()
  readonly #joins = new Map<string, JoinRow>()
  /** Joins that were not made at some time: whoever has counted that goes on counting it. */
  readonly #wasLost = new Set<string>()
  /** By job and root: how its runs came out. Rows go by retention, this does not. */
  readonly #outcomes = new Map<string, Set<ParentOutcome>>()
  /** Of every execution. */
  readonly #roots = new Map<string, string>()
  /** Runs that the ends of others have made, by job and root; and all of them by their ids. */
  readonly #made = new Set<string>()
  readonly #ids = new Set<string>()
  // Of this commit:
  #ended: ExecutionRow[] = []

  constructor(model: Model) {
    this.#model = model
  }

  /** Before the change is in the model. */
  see(change: Change): void {
    if (change.table === 'edge') return keep(this.#edges, change, edgeKey)
    if (change.table === 'join') {
      if (change.after?.state === 'not_made') this.#wasLost.add(joinKey(change.after))
      return keep(this.#joins, change, joinKey)
    }
    if (change.table !== 'execution' || change.after === null) return
    const { before, after } = change
    if (before === null) this.#seeNew(after)
    if (isFinal(after.state) && (before === null || !isFinal(before.state))) this.#ended.push(after)
  }

  end(): void {
    if (this.#ended.length === 0) return
    const ended = this.#ended
    this.#ended = []
    for (const row of ended) {
      const key = `${this.#model.nameOf(row.job_id)} ${rootOf(row)}`
      const known = this.#outcomes.get(key) ?? new Set()
      known.add(row.state as ParentOutcome)
      this.#outcomes.set(key, known)
    }
    for (const row of ended) if (row.tied !== null) this.#checkFollowers(row)
  }

  #seeNew(row: ExecutionRow): void {
    this.#roots.set(row.id, rootOf(row))
    if (row.retry_of !== null) {
      const expected = this.#roots.get(row.retry_of)
      if (expected !== undefined && expected !== rootOf(row))
        throw this.#broken(row.job_id, 'a retry keeps its root', `the retry of ${row.retry_of} has another`)
    }
    if (row.cause !== 'dependency') return
    this.#ids.add(row.id)
    const key = `${row.job_id} ${rootOf(row)}`
    if (this.#made.has(key))
      throw this.#broken(
        row.job_id,
        'a child is run once',
        `the ends before it made a second run for one root`,
      )
    this.#made.add(key)
  }

  #checkFollowers(row: ExecutionRow): void {
    const root = rootOf(row)
    const parent = this.#model.nameOf(row.job_id)
    for (const edge of this.#edges.values()) {
      if (edge.parent !== parent || edge.per_length !== null || !holds(edge, root)) continue
      const child = this.#model.jobs.get(edge.child_id)
      if (child === undefined || child.deleted_at !== null) continue
      const join = this.#joins.get(`${child.id} ${root}`)
      const isMet = this.#isMet(child.id, root)
      const isExcused = join?.state === 'not_made' && join.reason !== 'parents'
      if (isMet && join?.state !== 'made' && !isExcused)
        throw this.#broken(
          child.id,
          'an end makes what follows it',
          `what it comes after has ended as it wants with ${parent}, and its run was not made`,
        )
      if (join?.state === 'made' && (!isMet || !this.#ids.has(join.execution_id ?? '')))
        throw this.#broken(
          child.id,
          'an end makes what follows it',
          'its run was made too early, or is not there',
        )
    }
  }

  #isMet(childId: string, root: string): boolean {
    const edges = [...this.#edges.values()].filter(
      (edge) => edge.child_id === childId && edge.per_length === null && holds(edge, root),
    )
    const met = edges.filter((edge) => this.#hasCome(edge, root))
    return edges[0]?.join_mode === 'any' ? met.length > 0 : met.length === edges.length
  }

  #hasCome({ parent, on_end }: EdgeRow, root: string): boolean {
    const outcomes = this.#outcomes.get(`${parent} ${root}`) ?? new Set()
    const on = on_end as AfterEnd
    if ([...outcomes].some((outcome) => counts(on, outcome))) return true
    const ids = [...this.#model.jobs.values()].filter(({ name }) => name === parent).map(({ id }) => id)
    return on === 'any' && ids.some((id) => this.#wasLost.has(`${id} ${root}`))
  }

  #broken(jobId: string, rule: Rule, message: string): Violation {
    const name = this.#model.nameOf(jobId)
    return new Violation(rule, `${name}: ${message}`, name)
  }
}

function rootOf({ id, root_id: root }: ExecutionRow): string {
  return root ?? id
}

function holds({ made_at: from, ended_at: until }: EdgeRow, root: string): boolean {
  const at = madeAt(root)
  return from <= at && (until === null || until > at)
}

function edgeKey({ child_id, parent, revision }: EdgeRow): string {
  return `${child_id} ${parent} ${revision}`
}

function joinKey({ child_id, join_key }: JoinRow): string {
  return `${child_id} ${join_key}`
}

function keep<T>(
  map: Map<string, T>,
  { before, after }: { readonly before: T | null; readonly after: T | null },
  keyOf: (row: T) => string,
): void {
  if (after !== null) map.set(keyOf(after), after)
  else if (before !== null) map.delete(keyOf(before))
}
