/**
 * Pausing and resuming, without the database: what becomes of the ticks due by now, and of the job once they are settled.
 * One job and a batch of them go the same way.
 */
import { EvertickError } from '../../../core/error.ts'
import type { Job } from '../../../core/job/job.ts'
import { nextJobState } from '../../../core/job/job-state.ts'
import type { CatchUpSpec } from '../../../core/job/options.ts'
import { sequenceOfJob } from '../../../core/job/sequence.ts'
import type { ChangeContext, JobChange } from '../../store.ts'

type Pause = Extract<JobChange, { kind: 'pause' }>
type Resume = Extract<JobChange, { kind: 'resume' }>

export interface Turn {
  /** `dormant`: skipped, for the reason that the job's state gives. Null: left as they are. */
  readonly settle: { readonly catchUp: CatchUpSpec } | 'dormant' | null
  readonly become: (settled: Job) => Job
}

/** Or the refusal of the table of states. */
export function turnOf(job: Job, change: Pause | Resume, by: ChangeContext): Turn {
  return change.kind === 'pause' ? pauseTurn(job, change, by) : resumeTurn(job, change)
}

function pauseTurn(job: Job, change: Pause, { now, actor }: ChangeContext): Turn {
  const changed = changedPause(job, change, actor)
  if (changed !== null) return { settle: null, become: (same) => ({ ...same, pause: changed }) }
  const state = nextJobState(job.name, job.state, 'pause')
  const { until = null, reason = null } = change
  return {
    settle: job.state === 'active' ? { catchUp: job.spec.catchUp } : 'dormant',
    become: (settled) => ({ ...settled, state, pause: { at: now, until, reason, by: actor } }),
  }
}

/** A second pause with another end or reason continues the first, whose cursor stays. Null where it has neither. */
function changedPause({ state, pause }: Job, { until, reason }: Pause, by: string): Job['pause'] {
  if (state !== 'paused' || pause === null) return null
  const changed = { ...pause, until: until ?? pause.until, reason: reason ?? pause.reason, by }
  return changed.until === pause.until && changed.reason === pause.reason ? null : changed
}

function resumeTurn(job: Job, { catchUp }: Resume): Turn {
  const state = nextJobState(job.name, job.state, 'resume')
  const become = (settled: Job): Job => ({ ...settled, state, pause: null })
  if (job.state !== 'paused' || catchUp === 'skip') return { settle: 'dormant', become }
  const policy = catchUp === 'policy' ? job.spec.catchUp.policy : catchUp
  return { settle: { catchUp: { ...job.spec.catchUp, policy } }, become }
}

/** False where the time zone data no longer knows the spec's zone: such a job can still be cancelled and deleted. */
export function evaluates(job: Job): boolean {
  try {
    sequenceOfJob(job)
    return true
  } catch (error) {
    if (error instanceof EvertickError && error.kind === 'usage') return false
    throw error
  }
}
