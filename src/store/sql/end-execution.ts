/** What follows when executions have ended, by whatever hand: finisher, rescuer or operator. */
import { type Cause, isChained } from '../../core/execution/execution.ts'
import { type ExecutionState, isFinal } from '../../core/execution/execution-state.ts'
import type { Job } from '../../core/job/job.ts'
import type { Claim, ReleaseAt } from '../store.ts'
import { settleLane } from './lane.ts'
import { jobFrom, number, text } from './rows.ts'
import { type Row, row, run, type Script } from './script.ts'
import { dueOf } from './settle.ts'

export interface Ended {
  readonly jobId: string
  /** The ended execution was a tick's own, and its state is final. */
  readonly tick: boolean
  /** One of the chain had its try: ticks may go before the next of it again. */
  readonly chain: boolean
}

/** From a row with its new state. */
export function endedFrom(found: Row, state = text(found.state) as ExecutionState): Ended {
  return {
    jobId: text(found.job_id),
    tick: found.tick_at !== null && isFinal(state),
    chain: isChained(text(found.cause) as Cause) && state !== 'pending',
  }
}

/** A reservation that never started costs no attempt; one that somebody asked to stop ends here. */
const giveBackText = `
  UPDATE @job_executions SET
    state = CASE WHEN cancel_requested_at IS NOT NULL THEN 'cancelled' WHEN attempt > 0 THEN 'retrying' ELSE 'pending' END,
    finished_at = CASE WHEN cancel_requested_at IS NOT NULL THEN ? ELSE NULL END,
    leased_by = NULL, leased_until = NULL
  WHERE id = ? AND fence = ? AND state = 'running' AND started_at IS NULL
  RETURNING job_id, cause, tick_at, state`

/** The row as it was given back, or null where it is no longer the holder's, or has started. */
export function* giveBack(claim: Claim, now: number): Script<Row | null> {
  return yield* row(giveBackText, now, claim.id, claim.fence)
}

const lookText = `
  SELECT delay_ms, chain_yields,
    EXISTS (SELECT 1 FROM @job_executions WHERE job_id = @jobs.id AND state = 'blocked') AS blocked
  FROM @jobs WHERE id = ?`

/** In id order, so that two nodes which end work of the same jobs take their rows in the same order. */
export function* afterEnded(ended: readonly Ended[], now: number): Script<ReleaseAt[]> {
  const ticks = new Set(ended.filter((one) => one.tick).map((one) => one.jobId))
  const chains = new Set(ended.filter((one) => one.chain).map((one) => one.jobId))
  const jobIds = [...new Set(ended.map((one) => one.jobId))].sort()
  const releases: ReleaseAt[] = []
  for (const jobId of jobIds) {
    const look = yield* row(lookText, jobId)
    if (look === null) continue
    const opensNext = ticks.has(jobId) && look.delay_ms !== null
    const resets = chains.has(jobId) && number(look.chain_yields) > 0
    // Nearly always there is nothing to do: the job's whole row is read only where there is.
    if (!opensNext && !resets && look.blocked === 0) continue
    const found = yield* row('SELECT * FROM @jobs WHERE id = ?', jobId)
    if (found === null) continue
    let job = jobFrom(found)
    if (resets) {
      yield* run('UPDATE @jobs SET chain_yields = 0 WHERE id = ?', jobId)
      job = { ...job, chainYields: 0 }
    }
    if (opensNext) yield* openNextTick(job, now)
    if (job.spec.overlap !== 'allow') releases.push(...(yield* settleLane(job, now)))
  }
  return releases
}

/** fixedDelay: the transaction that ends a tick writes the next due instant. At most one is open. */
function* openNextTick(job: Job, now: number): Script<void> {
  const { schedule } = job.spec
  if (schedule?.kind !== 'fixed_delay' || job.openTickAt !== null) return
  if (job.state === 'completed' || job.state === 'cancelled') return
  const openTickAt = Math.max(now + schedule.delayMs, job.accountedUntil)
  const nextDueAt = dueOf({ ...job, openTickAt })
  yield* run(
    'UPDATE @jobs SET open_tick_at = ?, next_due_at = ? WHERE id = ? AND open_tick_at IS NULL',
    openTickAt,
    nextDueAt,
    job.id,
  )
}
