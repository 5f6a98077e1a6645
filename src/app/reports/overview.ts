/** The overview: overall health, problems, and what happened while there was no leader. */
import type { HealthCounts } from '../../core/job/health.ts'
import type { AppContext } from '../app-context.ts'
import type { Leader } from '../cluster/cluster.ts'
import { type AwayReport, awayOf } from './away.ts'
import { type Problem, problemsOf } from './problems.ts'

export type HealthLevel = 'good' | 'late' | 'failing' | 'disabled' | 'down'

export interface Overview {
  readonly health: {
    readonly level: HealthLevel
    /** Jobs with a due tick that has not started in time. */
    readonly late: number
    /** Jobs whose last final outcome was a failure. */
    readonly failing: number
    /** Jobs that no node can run. */
    readonly disabled: number
    readonly sentence: string
  }
  readonly counts: {
    readonly jobs: { readonly total: number; readonly paused: number }
    readonly running: number
    readonly waiting: number
    readonly failedLastDay: number
    readonly completedLastDay: number
    /** The counts begin here if a whole day was too much to count. */
    readonly countedFrom: Date
  }
  readonly leader: { readonly instance: string; readonly termId: number; readonly leaseUntil: Date } | null
  readonly nodes: { readonly alive: number; readonly stale: number }
  /** At most 20, jobs that no node can run first. */
  readonly problems: readonly Problem[]
  /** The newest gap of the last day without a leader. */
  readonly away: AwayReport | null
}

const dayMs = 86_400_000
const mostCounted = 100_000
const shownAway = 50

export async function overviewOf(app: AppContext, leader: Leader): Promise<Overview> {
  const { store, clock } = app
  const now = clock.now()
  const current = await leader.current()
  const activity = await store.executions.readActivity({
    from: now - dayMs,
    to: now + 1,
    bucketMs: dayMs + 1,
    maxRows: mostCounted,
  })
  const ended = (state: string) =>
    activity.ended.reduce((sum, group) => sum + (group.state === state ? group.count : 0), 0)
  const jobs = await store.jobs.countJobs()
  const { running, waiting } = await store.executions.countUnfinished()
  const problems = await problemsOf(app)
  const nodes = await store.cluster.listNodes()
  const alive = nodes.filter(({ seenAt }) => seenAt >= now - clock.longestSleepMs).length
  const away = await awayOf(app, leader, { since: now - dayMs })
  return {
    health: healthOf(
      current !== null || jobs.active === undefined,
      await store.jobs.countHealth(now),
      problems,
    ),
    counts: {
      jobs: {
        total: Object.values(jobs).reduce((sum, count) => sum + count, 0),
        paused: jobs.paused ?? 0,
      },
      running,
      waiting,
      failedLastDay: ended('failed'),
      completedLastDay: ended('completed'),
      countedFrom: new Date(activity.coveredFrom),
    },
    leader: current,
    nodes: { alive, stale: nodes.length - alive },
    problems,
    away: away === null ? null : { ...away, jobs: away.jobs.slice(0, shownAway) },
  }
}

function healthOf(
  led: boolean,
  { late, failing, disabled }: HealthCounts,
  problems: readonly Problem[],
): Overview['health'] {
  const said = (level: HealthLevel, sentence: string) => ({ level, late, failing, disabled, sentence })
  if (!led)
    return said('down', 'There is no leader: no tick is settled until a node with the role scheduler starts.')
  const counts = { disabled, late, failing }
  const troubles = Object.entries(counts).flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : []))
  if (troubles.length === 0) return said('good', 'All good.')
  const level = disabled > 0 ? 'disabled' : failing > 0 ? 'failing' : 'late'
  const [worst] = disabled > 0 ? problems : []
  const reason = worst?.sentence === undefined ? '' : ` ${worst.job}: ${worst.sentence}`
  return said(level, `${troubles.join(', ')}.${reason}`)
}
