/** What follows when executions have ended, whoever ended them: finisher, rescuer or operator. */
import { isChained } from '../../../core/execution/execution.ts'
import { isFinal } from '../../../core/execution/execution-state.ts'
import type { Job } from '../../../core/job/job.ts'
import type { Aftermath, Claim, ReleaseAt } from '../../store.ts'
import { causeOf, executionStateOf, jobFrom, text } from '../runtime/rows.ts'
import { type Row, row, rows, run, type Script } from '../runtime/script.ts'
import { dueOf } from '../ticks/settle.ts'
import { keepFinished } from './keep-finished.ts'
import { settleLane } from './lane.ts'

export interface Ended {
  readonly jobId: string
  /** The ended execution was a tick's own, and its state is final. */
  readonly tick: boolean
  /** One of the chain had its turn: ticks may go before the next one again. */
  readonly chain: boolean
}

/** From a row with its new state. */
export function endedFrom(execution: Row, state = executionStateOf(execution.state)): Ended {
  return {
    jobId: text(execution.job_id),
    tick: execution.tick_at !== null && isFinal(state),
    chain: isChained(causeOf(execution.cause)) && state !== 'pending',
  }
}

/** A reservation that never started costs no attempt; one that somebody asked to stop ends here. */
const giveBackText = `
  UPDATE @live_executions SET
    state = CASE WHEN cancel_requested_at IS NOT NULL THEN 'cancelled' WHEN attempt > 0 THEN 'retrying' ELSE 'pending' END,
    finished_at = CASE WHEN cancel_requested_at IS NOT NULL THEN ?::bigint END,
    leased_by = NULL, leased_until = NULL
  WHERE id = ? AND fence = ? AND state = 'running' AND started_at IS NULL`

const endedText = 'SELECT job_id, cause, tick_at, started_at, state FROM @live_executions WHERE id = ?'

/** A row after a write that ended or gave it back; null where that write touched none. */
export function* afterWrite(id: string, touched: number): Script<Row | null> {
  const written = touched === 0 ? null : yield* row(endedText, id)
  if (written !== null && isFinal(executionStateOf(written.state))) yield* keepFinished([id])
  return written
}

/** The row as it was given back, or null where it is no longer the holder's, or has started. */
export function* giveBack(claim: Claim, now: number): Script<Row | null> {
  return yield* afterWrite(claim.id, yield* run(giveBackText, now, claim.id, claim.fence))
}

/** The jobs among these whose lane or next tick has something to do now: nearly always none. */
const lookText = `
  SELECT j.id FROM @jobs j
  WHERE j.id IN ?* AND (j.delay_ms IS NOT NULL OR j.chain_yields > 0
    OR EXISTS (SELECT 1 FROM @live_executions e WHERE e.job_id = j.id AND e.state = 'blocked'))`

/** In id order, so that two nodes which end work of the same jobs take their rows in the same order. */
export function* afterEnded(ended: readonly Ended[], now: number): Script<Aftermath> {
  if (ended.length === 0) return { releases: [], opened: false }
  const ticks = new Set(ended.filter((one) => one.tick).map((one) => one.jobId))
  const chains = new Set(ended.filter((one) => one.chain).map((one) => one.jobId))
  const jobIds = yield* rows(lookText, [...new Set(ended.map((one) => one.jobId))])
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
