/** Estimates how many of the due jobs fit into one batch, before any of them is held. */
import { EvertickError } from '../../../core/error.ts'
import { sequenceOfJob } from '../../../core/job/sequence.ts'
import type { AccountRequest, DueJob } from '../../store.ts'
import { number, optionalNumber, specFrom, text } from '../runtime/rows.ts'
import { look, type Row, type Script } from '../runtime/script.ts'

/** A job that is no later than this has missed so little that the estimate is not worth its cost. */
const lateMs = 60_000

/** One job may fill a batch, or it may take a thousand: each look covers this many times as many jobs as the last. */
const firstLook = 4
const growth = 4

const spanText = 'SELECT id, name, spec, accounted_until, open_tick_at FROM @jobs WHERE id IN ?*'

/**
 * After an outage, jobs that catch up by `all` may make a thousand executions each. To hold and read a thousand jobs for
 * the one that fills the batch took a third of the time of a catch-up; those behind it were held for nothing.
 */
export function* jobsOfBatch({
  jobs,
  now,
  maxExecutions,
}: Pick<AccountRequest, 'jobs' | 'now' | 'maxExecutions'>): Script<readonly DueJob[]> {
  const onTime = jobs.findIndex(({ nextDueAt }) => nextDueAt >= now - lateMs)
  const late = onTime === -1 ? jobs : jobs.slice(0, onTime)
  let executions = 0
  let done = 0
  for (let size = firstLook; done < late.length; size *= growth) {
    const ids = late.slice(done, done + size).map(({ id }) => id)
    const spans = new Map((yield* look(spanText, ids)).map((job) => [text(job.id), job]))
    for (const id of ids) {
      if (done > 0 && executions >= maxExecutions) return jobs.slice(0, done)
      executions += executionsOf(spans.get(id), now)
      done += 1
    }
  }
  return jobs
}

/** About as many as its plan will make; the batch itself counts what it has made. */
function executionsOf(row: Row | undefined, now: number): number {
  if (row === undefined) return 0
  const spec = specFrom(row.spec)
  const { policy, maxMissedRuns } = spec.catchUp
  if (policy !== 'all') return 1
  try {
    const job = { name: text(row.name), spec, openTickAt: optionalNumber(row.open_tick_at) }
    return Math.min(maxMissedRuns, sequenceOfJob(job).count(number(row.accounted_until), now + 1))
  } catch (error) {
    if (!(error instanceof EvertickError) || error.kind !== 'usage') throw error
    return 0
  }
}
