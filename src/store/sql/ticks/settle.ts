/**
 * Settling: every action first accounts for the ticks due by now, under the state and revision that held until now.
 */
import type { Lane } from '../../../core/execution/overlap.ts'
import type { Job } from '../../../core/job/job.ts'
import type { JobState } from '../../../core/job/job-state.ts'
import type { CatchUpSpec } from '../../../core/job/options.ts'
import { sequenceOfJob } from '../../../core/job/sequence.ts'
import type { SkipReason } from '../../../core/tick/account.ts'
import { skipSpan } from '../../../core/tick/catch-up.ts'
import { planTicks, type TickPlan } from '../../../core/tick/plan-ticks.ts'
import type { Script, ScriptContext } from '../runtime/script.ts'
import { isHeldBack, loadLane } from '../work/lane.ts'
import { applyPlan } from './apply-plan.ts'
import { underZoneData } from './ledger-spans.ts'

export interface Settlement {
  readonly job: Job
  readonly plan: TickPlan
}

export interface SettleOptions {
  readonly now: number
  /** Ticks up to here are settled. @default now */
  readonly until?: number
  readonly aheadMs?: number
  readonly catchUp?: CatchUpSpec
  readonly catchUpReadyAt?: (k: number) => number
}

/** By the catch-up and overlap policies. The cursor then stands behind `until`, ticks or not. */
export function* settleDue(read: Job, options: SettleOptions, context: ScriptContext): Script<Settlement> {
  const job = yield* underZoneData(read, context)
  const lane = yield* loadLane(job)
  const plan = duePlan(job, options, lane, yield* isHeldBack(job, lane))
  return { job: yield* applyPlan(job, plan, options.now, context), plan }
}

export function duePlan(job: Job, options: SettleOptions, lane: Lane, heldBack: boolean): TickPlan {
  const { now } = options
  const until = options.until ?? now
  const spec = options.catchUp === undefined ? job.spec : { ...job.spec, catchUp: options.catchUp }
  const planned = planTicks({
    job: { ...job, spec },
    sequence: sequenceOfJob(job),
    lane,
    heldBack,
    now: until,
    aheadMs: options.aheadMs ?? 0,
    catchUpReadyAt: options.catchUpReadyAt ?? (() => now),
  })
  const accountedUntil = planned.ended ? planned.accountedUntil : Math.max(planned.accountedUntil, until + 1)
  return { ...planned, accountedUntil }
}

/** Everything up to and with `until` is skipped for one reason. */
export function* skipDue(
  read: Job,
  until: number,
  reason: SkipReason,
  now: number,
  context: ScriptContext,
): Script<Job> {
  const job = yield* underZoneData(read, context)
  return yield* applyPlan(job, skipPlan(job, until, reason, now), now, context)
}

export function skipPlan(job: Job, until: number, reason: SkipReason, now: number): TickPlan {
  const from = job.accountedUntil
  const ranges = skipSpan(sequenceOfJob(job), from, until + 1, reason)
  const delayMs = job.spec.schedule?.kind === 'fixed_delay' ? job.spec.schedule.delayMs : null
  const openTickAt = delayMs !== null && ranges.length > 0 ? now + delayMs : job.openTickAt
  return {
    executions: [],
    ranges,
    accountedUntil: Math.max(from, until + 1),
    nextDueAt: job.nextDueAt,
    openTickAt,
    ended: false,
    placement: null,
    keepCatchUps: null,
  }
}

/** What becomes of the ticks of a job that does not run. */
export const dormantReasons: Readonly<Record<Exclude<JobState, 'active'>, SkipReason>> = {
  paused: 'paused',
  disabled: 'disabled',
  completed: 'ended',
  cancelled: 'ended',
  error: 'invalid_spec',
}

/** The next instant at which a scheduler has something to decide about this job. */
export function dueOf(
  job: Pick<Job, 'name' | 'spec' | 'state' | 'openTickAt' | 'accountedUntil' | 'pause'>,
): number | null {
  if (job.state === 'paused') return job.pause?.until ?? null
  if (job.state !== 'active' || job.spec.schedule === null) return null
  return sequenceOfJob(job).next(job.accountedUntil - 1)
}
