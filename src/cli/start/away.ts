/** What happened while no node led: the gap since the previous term, and what became of each tick in it. */
import { hostname } from 'node:os'
import type { TermView } from '../../app/cluster.ts'
import type { Evertick } from '../../app/evertick.ts'
import type { JobView } from '../../app/views.ts'
import { isRunning } from './process-alive.ts'

export interface AwayJob {
  readonly job: string
  readonly missed: number
  readonly caughtUp: number
  readonly coalesced: number
  readonly skipped: number
  readonly reasons: readonly string[]
}

export interface Away {
  readonly from: Date
  readonly to: Date
  readonly jobs: readonly AwayJob[]
  /** Runs that the previous process left unfinished. */
  readonly cutOff: number
}

/** What is known before the node starts: where each job's account stands, and who led last. */
export interface Before {
  readonly cursors: ReadonlyMap<string, Date>
  readonly lastTerm: TermView | null
  readonly cutOff: number
}

const maxJobs = 10_000
const maxRuns = 1_000

export async function readBefore(evertick: Evertick): Promise<Before> {
  const { jobs } = await evertick.jobs.list({ state: 'active', limit: maxJobs })
  const [lastTerm] = await evertick.leader.terms({ limit: 1 })
  const held = [...(await evertick.leases.expired()), ...(await evertick.leases.active())]
  const nodes = await evertick.nodes.list()
  // A node that was killed is still listed; on this machine its process tells.
  const living = nodes.filter(({ host, pid }) => host !== hostname() || isRunning(pid))
  const alive = new Set(living.map(({ id }) => id))
  return {
    cursors: new Map(jobs.map((job) => [job.name, job.accountedUntil])),
    lastTerm: lastTerm ?? null,
    cutOff: held.filter(({ leasedBy }) => leasedBy === null || !alive.has(leasedBy)).length,
  }
}

/** null where nothing is to be told: the first start, or another node led on. */
export async function readAway(evertick: Evertick, before: Before, term: TermView): Promise<Away | null> {
  const { lastTerm } = before
  if (lastTerm === null || term.gapMs === 0) return null
  const { jobs } = await evertick.jobs.list({ limit: maxJobs })
  const found: AwayJob[] = []
  for (const job of jobs) {
    const from = before.cursors.get(job.name)
    if (from === undefined || from >= term.startTime) continue
    const away = await awayOf(evertick, job, from, term.startTime)
    if (away.missed > 0) found.push(away)
  }
  const from = new Date(term.startTime.getTime() - term.gapMs)
  return { from, to: term.startTime, jobs: found, cutOff: before.cutOff }
}

async function awayOf(evertick: Evertick, job: JobView, from: Date, to: Date): Promise<AwayJob> {
  const { ranges } = await evertick.jobs.explain(job.id, { from, to, limit: 1 })
  const { executions } = await evertick.executions.list({ job: job.id, limit: maxRuns })
  const inside = (at: Date) => at >= from && at < to
  const caughtUp = executions.filter(
    ({ account, scheduledFor }) => account !== null && inside(scheduledFor),
  ).length
  const count = (account: 'coalesced' | 'skipped') =>
    ranges
      .filter((range) => range.account === account && inside(range.from))
      .reduce((sum, range) => sum + range.count, 0)
  const [coalesced, skipped] = [count('coalesced'), count('skipped')]
  const reasons = [...new Set(ranges.filter(({ from: at }) => inside(at)).map(({ reason }) => reason))]
  return { job: job.name, missed: caughtUp + coalesced + skipped, caughtUp, coalesced, skipped, reasons }
}
