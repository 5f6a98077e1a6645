/** The whole at a glance: is all well, what is not, and what happened while nobody led. */
import type { AppContext } from '../app-context.ts'
import type { Leader } from '../cluster.ts'
import { byStatus } from '../metrics.ts'
import { type AwayReport, awayOf } from './away.ts'

export type HealthLevel = 'good' | 'late' | 'failing' | 'down'

export interface Problem {
  readonly job: string
  readonly why: 'late' | 'failed' | 'paused' | 'disabled' | 'error'
  readonly since: Date
  readonly executionId?: string
}

export interface Overview {
  readonly health: {
    readonly level: HealthLevel
    /** Active jobs with a tick that nobody has accounted for in time. */
    readonly late: number
    /** Jobs whose newest execution has failed within the day. */
    readonly failing: number
    readonly sentence: string
  }
  readonly counts: {
    readonly jobs: { readonly total: number; readonly byStatus: Readonly<Record<string, number>> }
    readonly running: number
    readonly waiting: number
    readonly failedLastDay: number
    readonly completedLastDay: number
    /** Where a day had too much to be counted, from when on it was. */
    readonly countedFrom: Date
  }
  readonly leader: { readonly instance: string; readonly termId: number; readonly leaseUntil: Date } | null
  readonly nodes: { readonly alive: number; readonly stale: number }
  /** At most 20, what is late first. */
  readonly problems: readonly Problem[]
  /** The newest gap of the last day in which nobody led. */
  readonly away: AwayReport | null
}

const dayMs = 86_400_000
/** Ticks are settled within a second or two: one that waits this long has nobody who looks at it. */
const lateMs = 60_000
/** A pause of an hour is meant; one of a week may be forgotten. */
const longPauseMs = 7 * dayMs
const mostProblems = 20
const mostRows = 1_000
const mostCounted = 100_000
const shownAway = 50

export async function overviewOf(app: AppContext, leader: Leader): Promise<Overview> {
  const { store, clock } = app
  const now = clock.now()
  const troubles = await store.findTroubles({
    lateBefore: now - lateMs,
    failedSince: now - dayMs,
    limit: mostProblems,
    maxRows: mostRows,
  })
  const last = await store.lastExecutions(troubles.failedJobIds, now)
  const failing = last
    .map(({ execution }) => execution)
    .filter(({ state, finishedAt }) => state === 'failed' && (finishedAt ?? 0) >= now - dayMs)
  const current = await leader.current()
  const activity = await store.readActivity({
    from: now - dayMs,
    to: now + 1,
    bucketMs: dayMs + 1,
    maxRows: mostCounted,
  })
  const ended = (state: string) =>
    activity.ended.reduce((sum, group) => sum + (group.state === state ? group.count : 0), 0)
  const jobs = await store.countJobs()
  const nodes = await store.listNodes()
  const alive = nodes.filter(({ seenAt }) => seenAt >= now - clock.longestSleepMs).length
  const away = await awayOf(app, leader, { since: now - dayMs })
  return {
    health: healthOf(current !== null || jobs.active === undefined, troubles.lateCount, failing.length),
    counts: {
      jobs: { total: Object.values(jobs).reduce((sum, count) => sum + count, 0), byStatus: byStatus(jobs) },
      running: troubles.running,
      waiting: troubles.waiting,
      failedLastDay: ended('failed'),
      completedLastDay: ended('completed'),
      countedFrom: new Date(activity.coveredFrom),
    },
    leader: current,
    nodes: { alive, stale: nodes.length - alive },
    problems: [
      ...troubles.late.map(({ name, dueAt }) => ({
        job: name,
        why: 'late' as const,
        since: new Date(dueAt),
      })),
      ...failing.map(({ id, jobName, finishedAt }) => ({
        job: jobName,
        why: 'failed' as const,
        since: new Date(finishedAt ?? now),
        executionId: id,
      })),
      ...troubles.resting
        .filter(({ state, since }) => state !== 'paused' || since <= now - longPauseMs)
        .map(({ name, state, since }) => ({ job: name, why: state, since: new Date(since) })),
    ].slice(0, mostProblems),
    away: away === null ? null : { ...away, jobs: away.jobs.slice(0, shownAway) },
  }
}

function healthOf(led: boolean, late: number, failing: number): Overview['health'] {
  const said = (level: HealthLevel, sentence: string) => ({ level, late, failing, sentence })
  if (!led)
    return said('down', 'Nobody leads: no tick is settled until a node with the role scheduler starts.')
  const troubles = [...(late > 0 ? [`${late} late`] : []), ...(failing > 0 ? [`${failing} failing`] : [])]
  if (troubles.length > 0) return said(failing > 0 ? 'failing' : 'late', `${troubles.join(', ')}.`)
  return said('good', 'All good.')
}
