/** What a job comes after and what comes after it, and what its parents have come to: a run, or the reason why there is none. */
import type { Arrival, JoinState } from '../../core/dependency/join.ts'
import { joinSentence } from '../../core/dependency/join-words.ts'
import { type AfterEnd, parentsText } from '../../core/job/after.ts'
import type { Job } from '../../core/job/job.ts'
import { shellWord } from '../../core/shell-word.ts'
import type { GraphEdge, JoinRow, Relative } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { pageLimit, refuseUnknown } from '../config/call-options.ts'
import type { Why } from './why.ts'

export interface DependenciesOptions {
  /** How many of the newest joins. @default 20 */
  readonly limit?: number
}

export interface DependenciesView {
  readonly parents: readonly JobRelative[]
  readonly children: readonly JobRelative[]
  /** Newest first. */
  readonly joins: readonly JoinView[]
}

/** What the parents have come to, for one run that began it all, or for one period. */
export interface JoinView {
  readonly state: JoinState
  /** What it waits for, why a run was made, or why it was not. */
  readonly sentence: string
  /** Of the run, or of the first instant of the period. */
  readonly scheduledFor: Date
  /** Where it is joined by a period: its end. */
  readonly periodTo: Date | null
  readonly rootId: string | null
  /** The run that was made. */
  readonly executionId: string | null
  readonly parents: readonly ArrivalView[]
  readonly openedAt: Date
  readonly closedAt: Date | null
}

export interface ArrivalView {
  readonly job: string
  readonly on: AfterEnd
  readonly outcome: Arrival['outcome']
  readonly executionId: string | null
}

/** Who is before or behind a job, and in what state; null where there is no such job. */
export type JobRelative = Relative
export type DependencyEdge = GraphEdge

export async function jobDependencies(
  { store }: AppContext,
  { id }: Job,
  options: DependenciesOptions,
): Promise<DependenciesView> {
  refuseUnknown(options, ['limit'], 'jobs.dependencies')
  const [{ parents, children }, joins] = await Promise.all([
    store.dependencies.readDependencies(id),
    store.dependencies.listJoins(id, pageLimit(options.limit, 20)),
  ])
  return { parents, children, joins: joins.map(joinView) }
}

/** Of all jobs that come after others: who after whom, on which end. */
export async function dependencyGraph({ store }: AppContext): Promise<readonly DependencyEdge[]> {
  return await store.dependencies.readGraph()
}

export function joinView(join: JoinRow): JoinView {
  const { state, scheduledFor, periodTo, rootId, executionId, openedAt, closedAt } = join
  return {
    state,
    sentence: joinSentence(join),
    scheduledFor: new Date(scheduledFor),
    periodTo: periodTo === null ? null : new Date(periodTo),
    rootId,
    executionId,
    parents: join.parents.map((parent) => ({
      job: parent.job,
      on: parent.on,
      outcome: parent.outcome,
      executionId: parent.executionId,
    })),
    openedAt: new Date(openedAt),
    closedAt: closedAt === null ? null : new Date(closedAt),
  }
}

/** What keeps a job that comes after others from running. */
export async function whyAfter({ store }: AppContext, { id, name, spec }: Job): Promise<Why> {
  const [{ parents }, [last]] = await Promise.all([
    store.dependencies.readDependencies(id),
    store.dependencies.listJoins(id, 1),
  ])
  const unknown = parents.find(({ state }) => state === null)
  if (unknown !== undefined)
    return {
      reason: 'no_parent',
      sentence: `It comes after "${unknown.job}", and there is no such job.`,
      next: `Create it, or change what comes before: \`evertick jobs update ${shellWord(name)} --after …\`.`,
    }
  const condition = `It runs once ${parentsText(spec.after, spec.join === 'all' ? 'and' : 'or')}.`
  if (last === undefined || last.state === 'made') return { reason: 'dependency', sentence: condition }
  const told = joinSentence(last)
  if (last.state === 'open') return { reason: 'dependency', sentence: told }
  return {
    reason: 'not_made',
    sentence: `${condition} ${told.replace(/^It was/, 'Its last run was')}`,
    next: `Retry what failed before it, or run it now: \`evertick jobs trigger ${shellWord(name)}\`.`,
  }
}
