/** What follows when executions have ended, by whatever hand: finisher, rescuer or operator. */
import type { Job } from '../../core/job/job.ts'
import type { ReleaseAt } from '../store.ts'
import { settleLane } from './lane.ts'
import { jobFrom } from './rows.ts'
import { row, run, type Script } from './script.ts'
import { dueOf } from './settle.ts'

export interface Ended {
  readonly jobId: string
  /** The ended execution was a tick's own, and its state is final. */
  readonly tick: boolean
}

/** In id order, so that two nodes which end work of the same jobs take their rows in the same order. */
export function* afterEnded(ended: readonly Ended[], now: number): Script<ReleaseAt[]> {
  const ticks = new Set(ended.filter((one) => one.tick).map((one) => one.jobId))
  const jobIds = [...new Set(ended.map((one) => one.jobId))].sort()
  const releases: ReleaseAt[] = []
  for (const jobId of jobIds) {
    const found = yield* row('SELECT * FROM @jobs WHERE id = ?', jobId)
    if (found === null) continue
    const job = jobFrom(found)
    if (ticks.has(jobId)) yield* openNextTick(job, now)
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
