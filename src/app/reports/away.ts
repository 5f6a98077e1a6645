/** What happened while there was no leader: the gap before a term, and what became of each tick in it. */
import type { Repair } from '../../core/leader/term.ts'
import type { AppContext } from '../app-context.ts'
import type { Leader, TermView } from '../cluster/cluster.ts'

export interface AwayJob {
  readonly job: string
  readonly missed: number
  readonly caughtUp: number
  readonly coalesced: number
  readonly skipped: number
  readonly reasons: readonly string[]
}

export interface AwayReport {
  readonly from: Date
  readonly to: Date
  readonly previousLeader: string
  readonly leader: string
  readonly missed: Repair
  /** The jobs that missed most first. */
  readonly jobs: readonly AwayJob[]
}

const newestTerms = 20

/** For the term, or for the newest term after a gap; null if there was no gap. */
export async function awayOf(
  { store }: AppContext,
  leader: Leader,
  which: { termId: number } | { since: number },
): Promise<AwayReport | null> {
  const terms = await leader.terms({ limit: newestTerms + 1 })
  const wanted = (term: TermView) =>
    'termId' in which ? term.id === which.termId : term.startTime.getTime() >= which.since
  const index = terms.findIndex((term) => term.gapMs > 0 && wanted(term))
  const [term, previous] = [terms[index], terms[index + 1]]
  if (term === undefined || previous === undefined) return null
  const rows = await store.ticks.missedTicks(term.id)
  return {
    from: new Date(term.startTime.getTime() - term.gapMs),
    to: term.startTime,
    previousLeader: previous.leaderInstance,
    leader: term.leaderInstance,
    missed: term.missed,
    jobs: rows
      .map((job) => ({ ...job, missed: job.caughtUp + job.coalesced + job.skipped }))
      .toSorted((a, b) => b.missed - a.missed),
  }
}
