/** What follows when executions have ended, whoever ended them: finisher, rescuer or operator. */
import { isChained } from '../../../core/execution/execution.ts'
import { isFinal } from '../../../core/execution/execution-state.ts'
import type { Job } from '../../../core/job/job.ts'
import type { Aftermath, Claim, Heard, ReleaseAt } from '../../store.ts'
import { noteFailures } from '../jobs/unproven.ts'
import { executionStateOf, jobFrom, optionalNumber, text } from '../runtime/rows.ts'
import { row, rows, run, type Script } from '../runtime/script.ts'
import { dueOf } from '../ticks/settle.ts'
import { settleLane } from './lane.ts'
import { cancelWaiting, type Ended, endedFrom, makeFinal } from './make-final.ts'

/** A reservation that never started costs no attempt; one that somebody asked to stop ends here. */
const giveBackText = `
  UPDATE @live_executions SET
    state = CASE WHEN cancel_requested_at IS NOT NULL THEN 'cancelled' WHEN attempt > 0 THEN 'retrying' ELSE 'pending' END,
    finished_at = CASE WHEN cancel_requested_at IS NOT NULL THEN ?::bigint END,
    leased_by = NULL, leased_until = NULL
  WHERE id = ? AND fence = ? AND state = 'running' AND started_at IS NULL`

const endedText = 'SELECT id, job_id, cause, tick_at, started_at, state FROM @live_executions WHERE id = ?'

export interface Written extends Ended {
  readonly startedAt: number | null
}

/** What a write has ended or given back; null where it touched nothing. */
export function* afterWrite(id: string, touched: number, at: number): Script<Written | null> {
  const written = touched === 0 ? null : yield* row(endedText, id)
  if (written === null) return null
  const startedAt = optionalNumber(written.started_at)
  return { ...endedFrom(written, executionStateOf(written.state), at), startedAt }
}

/** The execution as it was given back, or null where it is no longer the holder's, or has started. */
export function* giveBack(claim: Claim, now: number): Script<Written | null> {
  return yield* afterWrite(claim.id, yield* run(giveBackText, now, claim.id, claim.fence), now)
}

/** The jobs among these whose lane or next tick has something to do now: nearly always none. */
const lookText = `
  SELECT j.id FROM @jobs j
  WHERE j.id IN ?* AND (j.delay_ms IS NOT NULL OR j.chain_yields > 0
    OR EXISTS (SELECT 1 FROM @live_executions e WHERE e.job_id = j.id AND e.state = 'blocked'))`

/**
 * What has ended is final, its lane goes on, and its job is known to have failed. What was enqueued is in no lane. In id
 * order, so that two nodes which end work of the same jobs take their rows in the same order.
 */
export function* settleEnded(ended: readonly Ended[], now: number, heard?: Heard): Script<Aftermath> {
  if (ended.length === 0) return nothing
  yield* makeFinal(ended, heard)
  const after = yield* settleLanes(
    ended.filter(({ cause }) => cause !== 'enqueue'),
    now,
  )
  yield* noteFailures(ended)
  return after
}

const nothing: Aftermath = { releases: [], opened: false }

function* settleLanes(ended: readonly Ended[], now: number): Script<Aftermath> {
  if (ended.length === 0) return nothing
  const jobsOf = (some: readonly Ended[]) => new Set(some.map(({ jobId }) => jobId))
  const ticks = jobsOf(ended.filter(({ tickAt, state }) => tickAt !== null && isFinal(state)))
  // One of the chain had its turn: ticks may go before the next one again.
  const chains = jobsOf(ended.filter(({ cause, state }) => isChained(cause) && state !== 'pending'))
  const jobIds = yield* rows(lookText, [...jobsOf(ended)])
  const releases: ReleaseAt[] = []
  let opened = false
  for (const jobId of jobIds.map(({ id }) => text(id)).sort()) {
    const jobRow = yield* row('SELECT * FROM @jobs WHERE id = ? FOR UPDATE', jobId)
    if (jobRow === null) continue
    let job = jobFrom(jobRow)
    if (chains.has(jobId) && job.chainYields > 0) {
      yield* run('UPDATE @jobs SET chain_yields = 0 WHERE id = ?', jobId)
      job = { ...job, chainYields: 0 }
    }
    if (ticks.has(jobId) && (yield* openNextTick(job, now))) opened = true
    if (job.spec.overlap !== 'allow') releases.push(...(yield* settleLane(job, now)))
  }
  return { releases, opened }
}

/** What was enqueued in a transaction that committed after its job was cancelled. */
export function* cancelEnqueued(ids: readonly string[], now: number): Script<void> {
  yield* settleEnded(yield* cancelWaiting('job_cancelled', now, 'id IN ?*', ids), now)
}

/** fixedDelay: the transaction that ends a tick writes the next due instant. At most one is open. */
function* openNextTick(job: Job, now: number): Script<boolean> {
  const { schedule } = job.spec
  if (schedule?.kind !== 'fixed_delay' || job.openTickAt !== null) return false
  if (job.state === 'completed' || job.state === 'cancelled') return false
  const openTickAt = Math.max(now + schedule.delayMs, job.accountedUntil)
  const nextDueAt = dueOf({ ...job, openTickAt })
  const opened = yield* run(
    'UPDATE @jobs SET open_tick_at = ?, next_due_at = ? WHERE id = ? AND open_tick_at IS NULL',
    openTickAt,
    nextDueAt,
    job.id,
  )
  return opened === 1
}
