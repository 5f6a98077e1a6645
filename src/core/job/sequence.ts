/** The nominal ticks of a job as it stands. */

import { noNominalTicks, onceSequence } from '../schedule/once-sequence.ts'
import type { TickSequence } from '../schedule/schedule.ts'
import { sequenceOf } from '../schedule/schedule-spec.ts'
import type { Job, JobSpec } from './job.ts'

/** Of a fixedDelay job only its one open tick is known; the ledger knows the others. */
export function sequenceOfJob(job: Pick<Job, 'name' | 'spec' | 'openTickAt'>): TickSequence {
  if (job.spec.schedule?.kind !== 'fixed_delay') return nominalSequence(job.name, job.spec) ?? noNominalTicks
  return job.openTickAt === null ? noNominalTicks : onceSequence(job.openTickAt)
}

/** The ticks that a definition names by itself, or null where it names none. */
export function nominalSequence(name: string, spec: JobSpec): TickSequence | null {
  const { schedule, startAt, endAt } = spec
  if (schedule === null || schedule.kind === 'fixed_delay') return null
  return sequenceOf(schedule, {
    hashKey: name,
    ...(startAt === null ? {} : { startAt }),
    ...(endAt === null ? {} : { endAt }),
  })
}
