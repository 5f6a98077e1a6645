/**
 * Settling: every action first accounts for the ticks due by now, under the state and revision that held until now.
 */
import type { CatchUpSpec, Job } from '../../core/job/job.ts'
import type { JobState } from '../../core/job/job-state.ts'
import { sequenceOfJob } from '../../core/job/sequence.ts'
import type { SkipReason } from '../../core/tick/account.ts'
import { skipSpan } from '../../core/tick/catch-up.ts'
import { planTicks, type TickPlan } from '../../core/tick/plan-ticks.ts'
import { applyPlan } from './apply-plan.ts'
import { loadLane } from './lane.ts'
import { jobFrom, optionalNumber, text } from './rows.ts'
import { hold, row, rows, run, type Script, type ScriptContext } from './script.ts'
import { isUnstarted } from './states.ts'

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
export function* settleDue(job: Job, options: SettleOptions, context: ScriptContext): Script<Settlement> {
  const { now } = options
  const until = options.until ?? now
  const spec = options.catchUp === undefined ? job.spec : { ...job.spec, catchUp: options.catchUp }
  const planned = planTicks({
    job: { ...job, spec },
    sequence: sequenceOfJob(job),
    lane: yield* loadLane(job),
    now: until,
    aheadMs: options.aheadMs ?? 0,
    catchUpReadyAt: options.catchUpReadyAt ?? (() => now),
  })
  const accountedUntil = planned.ended ? planned.accountedUntil : Math.max(planned.accountedUntil, until + 1)
  const plan = { ...planned, accountedUntil }
  return { job: yield* applyPlan(job, plan, now, context), plan }
}

/** Everything up to and with `until` is skipped for one reason. */
export function* skipDue(
  job: Job,
  until: number,
  reason: SkipReason,
  now: number,
  context: ScriptContext,
): Script<Job> {
  const from = job.accountedUntil
  const ranges = skipSpan(sequenceOfJob(job), from, until + 1, reason)
  const delayMs = job.spec.schedule?.kind === 'fixed_delay' ? job.spec.schedule.delayMs : null
  const openTickAt = delayMs !== null && ranges.length > 0 ? now + delayMs : job.openTickAt
  const plan: TickPlan = {
    executions: [],
    ranges,
    accountedUntil: Math.max(from, until + 1),
    nextDueAt: job.nextDueAt,
    openTickAt,
    ended: false,
    placement: null,
    keepCatchUps: null,
  }
  return yield* applyPlan(job, plan, now, context)
}

/** What the ticks of a job that does not run become. */
export const dormantReasons: Readonly<Record<Exclude<JobState, 'active'>, SkipReason>> = {
  paused: 'paused',
  disabled: 'disabled',
  completed: 'ended',
  cancelled: 'ended',
  error: 'invalid_spec',
}

/**
 * Takes back ticks accounted ahead that nobody has claimed: for every action the claim is the start. The cursor goes
 * back, never forward, to 1 ms after the later of now and the last claimed tick.
 */
export function* revokeAhead(job: Job, now: number): Script<Job> {
  if (job.accountedUntil <= now + 1) return job
  // Held first, so that no claim comes between this look and the delete.
  yield* hold(
    `SELECT id FROM @job_executions WHERE job_id = ? AND tick_at > ? AND ${isUnstarted} FOR UPDATE`,
    job.id,
    now,
  )
  const claimed = yield* row(
    `SELECT max(tick_at) AS tick_at FROM @job_executions WHERE job_id = ? AND tick_at > ? AND NOT ${isUnstarted}`,
    job.id,
    now,
  )
  const lastRange = yield* row(
    'SELECT max(to_at) AS to_at FROM @tick_ranges WHERE job_id = ? AND to_at > ?',
    job.id,
    now,
  )
  const settledUntil =
    Math.max(
      now,
      job.revisionFrom - 1,
      optionalNumber(claimed?.tick_at) ?? 0,
      optionalNumber(lastRange?.to_at) ?? 0,
    ) + 1
  // What lies before a claimed tick stays, or the cursor would stand behind a tick without an account.
  const revoked = yield* rows(
    `SELECT id, tick_at FROM @job_executions WHERE job_id = ? AND tick_at >= ? AND ${isUnstarted} ORDER BY tick_at`,
    job.id,
    settledUntil,
  )
  if (revoked.length > 0) {
    const ids = revoked.map(({ id }) => text(id))
    const deleted = yield* run(`DELETE FROM @job_executions WHERE id IN ?* AND ${isUnstarted}`, ids)
    if (deleted !== ids.length) throw new Error(`A tick of job ${job.name} was claimed while it was held.`)
  }
  const accountedUntil = Math.min(job.accountedUntil, settledUntil)
  const reopened = job.spec.schedule?.kind === 'fixed_delay' ? optionalNumber(revoked[0]?.tick_at) : null
  const openTickAt = reopened ?? job.openTickAt
  const runs = job.runs - revoked.length
  // Its last tick, accounted ahead, had completed it; that tick is still to come.
  const state = job.state === 'completed' && revoked.length > 0 ? 'active' : job.state
  const moved = yield* run(
    `UPDATE @jobs SET accounted_until = ?, open_tick_at = ?, runs = ?, state = ?, version = version + 1
     WHERE id = ? AND version = ? AND accounted_until = ?`,
    accountedUntil,
    openTickAt,
    runs,
    state,
    job.id,
    job.version,
    job.accountedUntil,
  )
  if (moved !== 1) throw new Error(`Job ${job.name} changed while its row was held.`)
  return { ...job, accountedUntil, openTickAt, runs, state, version: job.version + 1 }
}

/** The next instant at which a scheduler has something to decide about this job. */
export function dueOf(
  job: Pick<Job, 'name' | 'spec' | 'state' | 'openTickAt' | 'accountedUntil' | 'pause'>,
): number | null {
  if (job.state === 'paused') return job.pause?.until ?? null
  if (job.state !== 'active' || job.spec.schedule === null) return null
  return sequenceOfJob(job).next(job.accountedUntil - 1)
}

/** By name or id; deleted jobs are not found. */
export function* findJob(reference: string): Script<Job | null> {
  const found = (yield* row(byNameText, reference)) ?? (yield* row(byIdText, reference))
  return found === null ? null : jobFrom(found)
}

/** The same, and holds the job's row for the rest of the transaction. */
export function* lockJob(reference: string): Script<Job | null> {
  const found =
    (yield* row(`${byNameText} FOR UPDATE`, reference)) ?? (yield* row(`${byIdText} FOR UPDATE`, reference))
  return found === null ? null : jobFrom(found)
}

const byNameText = 'SELECT * FROM @jobs WHERE name = ? AND deleted_at IS NULL'
const byIdText = 'SELECT * FROM @jobs WHERE id = ? AND deleted_at IS NULL'

/**
 * Whoever makes or ends an execution of these jobs holds their rows first, in id order, and only then counts or writes.
 * Where runs may overlap and no end opens a next tick there is nothing to count.
 */
export function* holdLanes(jobIds: Iterable<string>): Script<void> {
  const ids = [...new Set(jobIds)]
  if (ids.length === 0) return
  yield* hold(
    `SELECT id FROM @jobs WHERE id IN ?* AND (overlap <> 'allow' OR delay_ms IS NOT NULL) ORDER BY id FOR UPDATE`,
    ids,
  )
}
