/** What became of the runs that a job missed: one line for whoever reads the log after a restart. */
import type { Evertick } from '../../evertick.ts'
import type { Store } from '../../store/store.ts'

const allOf = 1_000_000

/** Of the ticks since `from`, and of what was still owed before; null where nothing was missed. */
export async function missedRuns(
  evertick: Evertick,
  store: Store,
  { job, from, until }: { readonly job: string; readonly from: number; readonly until: number },
): Promise<string | null> {
  // Ranges cover the whole span, however few ticks are asked for.
  const span = { from: new Date(from), to: new Date(until + 1), limit: 1 }
  const { ranges } = await evertick.jobs.explain(job, span)
  const made = await store.executions.listExecutions({ job, from, limit: allOf })
  const cancelled = await store.executions.listExecutions({ job, state: 'cancelled', limit: allOf })
  const [notRun, ran] = [['skipped', 'coalesced'], ['caught_up']].map((accounts) =>
    ranges.filter(({ account }) => accounts.includes(account)),
  )
  const sum = (some: typeof ranges = []) => some.reduce((all, { count }) => all + count, 0)
  const kept = made.filter(
    ({ account, tickAt }) => account === 'caught_up' && tickAt !== null && tickAt >= from && tickAt <= until,
  ).length
  const caughtUp = kept + sum(ran)
  const pushedOut = cancelled.filter(
    ({ cancelReason, finishedAt }) => cancelReason === 'superseded' && (finishedAt ?? 0) >= from,
  ).length
  const skipped = sum(notRun) + pushedOut
  if (caughtUp + skipped === 0) return null
  const reasons = (notRun ?? []).flatMap(({ reason }) => reason ?? [])
  if (pushedOut > 0) reasons.push('superseded')
  const why = reasons.length === 0 ? '' : ` (${[...new Set(reasons)].join(', ')})`
  return (
    `${job}: ${caughtUp + skipped} runs were missed since ${span.from.toISOString()}: ` +
    `${caughtUp} are caught up, ${skipped} skipped${why}`
  )
}
