/**
 * What comes after executions that have ended, in the transaction that ends them: each end is told to the jobs that come
 * after its own, and where that meets their condition, their runs are made. What is made stands apart from its lane until
 * its job is held (`placeDependents`): an end holds no job but its own.
 */
import type { ParentOutcome } from '../../../core/dependency/edge.ts'
import { awaited, type NotMadeReason, verdict, withEnd } from '../../../core/dependency/join.ts'
import { isFinal } from '../../../core/execution/execution-state.ts'
import { madeAt, noId } from '../../../core/id.ts'
import type { Job } from '../../../core/job/job.ts'
import { finalStateOf, jobFrom, number, optionalText, text } from '../runtime/rows.ts'
import { rows, type Script } from '../runtime/script.ts'
import type { Ended } from '../work/ended.ts'
import { insertChained } from '../work/insert-execution.ts'
import { edgeFrom, type StoredEdge } from './edges.ts'
import {
  holdJoins,
  joinByPeriod,
  joinByRoot,
  type NewJoin,
  runIdOf,
  type StoredJoin,
  writeJoin,
} from './join-rows.ts'
import { placeDependents } from './place-dependents.ts'

/** How a run of a job came out, or that there was none. */
export interface News {
  readonly job: string
  readonly outcome: ParentOutcome
  readonly executionId: string | null
  /** What it all began with. */
  readonly rootId: string
  readonly scheduledFor: number
  readonly at: number
}

/** Returns what it has ended itself: runs for which there was no room in their lane. */
export function* settleDependents(ended: readonly Ended[]): Script<Ended[]> {
  const over = ended.filter(({ state }) => isFinal(state))
  if (over.length === 0) return []
  return yield* tellChildren(yield* newsOf(over), Math.max(...over.map(({ at }) => at)))
}

const endedText = `
  SELECT e.id, e.state, e.root_id, e.scheduled_for, e.finished_at, j.name
  FROM @job_executions e JOIN @jobs j ON j.id = e.job_id
  WHERE e.id IN ?* AND EXISTS (SELECT 1 FROM @dependencies d WHERE d.parent = j.name) ORDER BY e.id`

function* newsOf(ended: readonly Ended[]): Script<News[]> {
  const found = yield* rows(
    endedText,
    ended.map(({ id }) => id),
  )
  return found.map((row) => ({
    job: text(row.name),
    outcome: finalStateOf(row.state),
    executionId: text(row.id),
    rootId: optionalText(row.root_id) ?? text(row.id),
    scheduledFor: number(row.scheduled_for),
    at: number(row.finished_at),
  }))
}

/** Not made is an end, too: it is passed on until nobody comes after. */
export function* tellChildren(first: readonly News[], now: number): Script<Ended[]> {
  const made = new Set<string>()
  for (let news = first; news.length > 0; ) {
    const told = yield* tellOnce(news, now)
    for (const id of told.made) made.add(id)
    news = told.notMade
  }
  return yield* placeDependents([...made], now)
}

interface Told {
  /** Jobs with a new run. */
  readonly made: readonly string[]
  readonly notMade: readonly News[]
}

function* tellOnce(news: readonly News[], now: number): Script<Told> {
  const family = yield* familyOf(news)
  const wanted = new Map<string, { readonly join: NewJoin; readonly news: News[] }>()
  for (const one of news) {
    for (const edge of family.after(one)) {
      const join = joinOf(edge, one)
      const name = `${join.childId} ${join.key}`
      const known = wanted.get(name)
      if (known === undefined) wanted.set(name, { join, news: [one] })
      else known.news.push(one)
    }
  }
  const held = yield* holdJoins(
    [...wanted.values()].map(({ join }) => join),
    now,
  )
  const made: string[] = []
  const notMade: News[] = []
  for (const join of held) {
    const child = family.job(join.childId)
    if (child === undefined || join.state === 'made') continue
    const told = wanted.get(`${join.childId} ${join.key}`)?.news ?? []
    const settled = settle(join, child, family.parentsOf(join), told, now)
    if (settled.state === 'made') {
      yield* makeRun(settled, child, family.isFollowed(settled, child), now)
      made.push(child.id)
    }
    yield* writeJoin(settled)
    if (settled.state === 'not_made' && join.state !== 'not_made')
      notMade.push(newsOfLost(settled, child, now))
  }
  return { made, notMade }
}

function joinOf({ childId, join, per }: StoredEdge, { rootId, scheduledFor }: News): NewJoin {
  return per === null
    ? joinByRoot(childId, join, rootId, scheduledFor)
    : joinByPeriod(childId, join, per, scheduledFor)
}

/** A job that takes no work makes nothing, whatever its parents have come to. */
const unable: Readonly<Partial<Record<Job['state'], NotMadeReason>>> = {
  disabled: 'disabled',
  cancelled: 'cancelled',
  error: 'error',
}

function settle(
  join: StoredJoin,
  child: Job,
  edges: readonly StoredEdge[],
  news: readonly News[],
  now: number,
): StoredJoin {
  const known = edges.map(
    ({ parent, on }) =>
      join.parents.find((one) => one.job === parent && one.on === on) ?? awaited(parent, on),
  )
  const parents = news.reduce<StoredJoin['parents']>((so, one) => withEnd(so, one), known)
  const state = verdict({ mode: join.mode, byPeriod: join.rootId === null, parents })
  // What was not made stays so until its condition is met.
  if (state === 'open') return { ...join, parents }
  const reason = state === 'made' ? (unable[child.state] ?? null) : ('parents' as const)
  const becomes = reason === null ? ('made' as const) : ('not_made' as const)
  const executionId = becomes === 'made' ? runIdOf(join) : null
  return { ...join, parents, state: becomes, reason, executionId, closedAt: now, closeAt: null }
}

function* makeRun(join: StoredJoin, child: Job, followed: boolean, now: number): Script<void> {
  yield* insertChained(
    { ...child, followed },
    {
      id: join.executionId ?? '',
      cause: 'dependency',
      tickAt: null,
      account: null,
      scheduledFor: join.scheduledFor,
      state: 'blocked',
      readyAt: now,
      index: null,
      of: null,
      input: child.spec.input ?? undefined,
      metadata: {},
      retryOf: null,
      idempotencyKey: null,
      createdAt: now,
    },
    { rootId: join.rootId, waitsFor: 'place' },
  )
}

/** Who comes after it hears of it under the root that its run would have had: its own, where it is joined by a period. */
export function newsOfLost(join: StoredJoin, child: Pick<Job, 'name'>, now: number): News {
  const { rootId, scheduledFor } = join
  return {
    job: child.name,
    outcome: 'not_made',
    executionId: null,
    rootId: rootId ?? runIdOf(join),
    scheduledFor,
    at: now,
  }
}

interface Family {
  /** The edges from this end to those who come after. */
  readonly after: (news: News) => readonly StoredEdge[]
  /** All edges that count for a join. */
  readonly parentsOf: (join: StoredJoin) => readonly StoredEdge[]
  readonly job: (id: string) => Job | undefined
  /** Somebody comes after the run that the join makes. */
  readonly isFollowed: (join: StoredJoin, child: Job) => boolean
}

/** By a root: as it was when all of that began. By a period: as it is now. */
function holds({ per, madeAt: from, endedAt: until }: StoredEdge, rootId: string): boolean {
  if (per !== null) return until === null
  const at = madeAt(rootId)
  return from <= at && (until === null || until > at)
}

function* familyOf(news: readonly News[]): Script<Family> {
  const names = [...new Set(news.map(({ job }) => job))]
  const below = (yield* rows(
    'SELECT * FROM @dependencies WHERE parent IN ?* ORDER BY child_id, revision, parent',
    names,
  )).map(edgeFrom)
  const ids = [...new Set(below.map(({ childId }) => childId))]
  const all =
    ids.length === 0
      ? []
      : (yield* rows(
          'SELECT * FROM @dependencies WHERE child_id IN ?* ORDER BY child_id, revision, parent',
          ids,
        )).map(edgeFrom)
  const found =
    ids.length === 0 ? [] : yield* rows('SELECT * FROM @jobs WHERE id IN ?* AND deleted_at IS NULL', ids)
  const jobs = new Map(found.map((job) => [text(job.id), jobFrom(job)]))
  const beyond = [...jobs.values()].map(({ name }) => name)
  const next =
    beyond.length === 0
      ? []
      : (yield* rows(
          'SELECT * FROM @dependencies WHERE parent IN ?* ORDER BY child_id, revision, parent',
          beyond,
        )).map(edgeFrom)
  return {
    after: ({ job, rootId }) =>
      below.filter((edge) => edge.parent === job && jobs.has(edge.childId) && holds(edge, rootId)),
    parentsOf: ({ childId, rootId }) =>
      all.filter(
        (edge) =>
          edge.childId === childId &&
          (edge.per === null) === (rootId !== null) &&
          holds(edge, rootId ?? noId),
      ),
    job: (id) => jobs.get(id),
    isFollowed: (join, { name }) =>
      next.some((edge) => edge.parent === name && holds(edge, join.rootId ?? runIdOf(join))),
  }
}
