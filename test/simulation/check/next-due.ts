/** When a scheduler has something to decide about a job: closed ticks are decided with the next that is open, or at the opening. */
import { sequenceOfJob } from '../../../src/core/job/sequence.ts'
import { dueInstant } from '../../../src/core/job/window.ts'
import { specFrom } from '../../../src/store/sql/runtime/rows.ts'
import type { JobRow } from './change-log.ts'

export function nextDue(job: JobRow): number | null {
  const spec = specFrom(job.spec)
  const sequence = sequenceOfJob({ name: job.name, spec, openTickAt: job.open_tick_at })
  return dueInstant(spec, sequence, job.accounted_until)
}
