/**
 * The planner: from a job, its cursor and now, to the account of every tick that is due. Pure; the store runs it while it
 * holds the job's row, and writes all of the plan or none of it.
 */
import type { Cause } from '../execution/execution.ts'
import { type Lane, type Placement, placeTick } from '../execution/overlap.ts'
import type { Job, JobSpec } from '../job/job.ts'
import type { TickSequence } from '../schedule/schedule.ts'
import { stableHash } from '../stable-hash.ts'
import { type RangeDraft, settleMissed, skipSpan } from './catch-up.ts'

export interface PlannedExecution {
  readonly tickAt: number
  readonly cause: Extract<Cause, 'schedule' | 'catch_up'>
  readonly account: 'fired' | 'caught_up'
  readonly state: 'pending' | 'blocked'
  readonly readyAt: number
  readonly index: number
  readonly of: number
}

export interface TickPlan {
  readonly executions: readonly PlannedExecution[]
  readonly ranges: readonly RangeDraft[]
  readonly accountedUntil: number
  readonly nextDueAt: number | null
  readonly openTickAt: number | null
  /** The schedule has no tick left. */
  readonly ended: boolean
  /** What an on-time tick asks of the executions before it. */
  readonly placement: Placement | null
  /** Unstarted catch-ups beyond this many are superseded, oldest first; null leaves them alone. */
  readonly keepCatchUps: number | null
}

export interface PlanRequest {
  readonly job: Pick<Job, 'id' | 'spec' | 'accountedUntil' | 'openTickAt' | 'runs'>
  readonly sequence: TickSequence
  readonly lane: Lane
  /** No node can run the job: a tick that its own waiting run would skip is held back instead. */
  readonly heldBack: boolean
  readonly now: number
  /** How far ahead of its instant a tick may be accounted. */
  readonly aheadMs: number
  /** When the k-th catch-up execution of this plan may start, so that a flood is spread over time. */
  readonly catchUpReadyAt: (k: number) => number
}

export function planTicks(request: PlanRequest): TickPlan {
  const { job, sequence, now } = request
  const newest = sequence.previous(now + 1)
  const due = newest !== null && newest >= job.accountedUntil ? planDue(request, newest) : nothingDue(job)
  const { executions, ranges, placement, keepCatchUps } = due
  // An edit may have lowered the limit below what has already run.
  const remaining =
    job.spec.maxRuns === null ? Number.POSITIVE_INFINITY : Math.max(0, job.spec.maxRuns - job.runs)

  if (executions.length >= remaining) {
    // The schedule ends with its last allowed run: what lies after that tick was never due.
    const kept = executions.slice(0, remaining)
    const until = (kept.at(-1)?.tickAt ?? job.accountedUntil - 1) + 1
    return {
      executions: kept,
      ranges: ranges.filter((range) => range.to < until),
      accountedUntil: Math.max(job.accountedUntil, until),
      nextDueAt: null,
      openTickAt: null,
      ended: true,
      placement: kept.length === executions.length ? placement : null,
      keepCatchUps,
    }
  }

  const ahead = planAhead(request, due, remaining - executions.length)
  const all = [...executions, ...ahead]
  const accountedUntil = Math.max(due.accountedUntil, (ahead.at(-1)?.tickAt ?? -1) + 1)
  const following = followingDue(request, all, ranges, accountedUntil)
  return {
    executions: all,
    ranges,
    accountedUntil,
    ...following,
    ended: following.nextDueAt === null && mayEnd(job.spec.schedule),
    placement,
    keepCatchUps,
  }
}

/** Without a schedule there is nothing that could end, and the end of a fixedDelay run writes the next tick. */
function mayEnd(schedule: Job['spec']['schedule']): boolean {
  return schedule !== null && schedule.kind !== 'fixed_delay'
}

/** Whether a plan writes anything. */
export function isEmptyPlan(plan: TickPlan): boolean {
  return plan.executions.length === 0 && plan.ranges.length === 0 && !plan.ended
}

interface DuePlan {
  readonly executions: readonly PlannedExecution[]
  readonly ranges: readonly RangeDraft[]
  readonly accountedUntil: number
  readonly placement: Placement | null
  readonly keepCatchUps: number | null
}

function nothingDue({ accountedUntil }: PlanRequest['job']): DuePlan {
  // Only an action moves a cursor over an empty span; here that write would be useless.
  return { executions: [], ranges: [], accountedUntil, placement: null, keepCatchUps: null }
}

function planDue(request: PlanRequest, newest: number): DuePlan {
  const { job, sequence, lane, now } = request
  const { catchUp } = job.spec
  const from = job.accountedUntil
  const fresh = now - newest <= catchUp.graceMs
  const alone = !fresh || sequence.count(from, newest) === 0

  if (catchUp.policy === 'latest' && !alone) {
    const placement = placeTick(lane)
    if (placement.place !== 'start') return planMissed(request, newest)
    const { ranges } = settleMissed(
      sequence,
      from,
      newest,
      { ...catchUp, windowMs: windowAround(catchUp.windowMs, now - newest) },
      now,
    )
    return dueOnTime(request, newest, placement, [], ranges)
  }
  if (!fresh) return planMissed(request, newest)

  const placement = placeTick(lane)
  if (alone) return dueOnTime(request, newest, placement, [], [])
  const lastMissed = sequence.previous(newest) ?? newest
  const missed = settleMissed(sequence, from, lastMissed, catchUp, now)
  return dueOnTime(request, newest, placement, catchUpExecutions(request, missed.chosen), missed.ranges)
}

/** A tick that is on time is inside any window. */
function windowAround(windowMs: number | null, latenessMs: number): number | null {
  return windowMs === null ? null : Math.max(windowMs, latenessMs)
}

function planMissed(request: PlanRequest, newest: number): DuePlan {
  const { job, sequence, now } = request
  const missed = settleMissed(sequence, job.accountedUntil, newest, job.spec.catchUp, now)
  return {
    executions: catchUpExecutions(request, missed.chosen),
    ranges: missed.ranges,
    accountedUntil: now + 1,
    placement: null,
    keepCatchUps: keepOf(job.spec, missed.chosen),
  }
}

function dueOnTime(
  request: PlanRequest,
  tick: number,
  placement: Placement,
  caughtUp: readonly PlannedExecution[],
  ranges: readonly RangeDraft[],
): DuePlan {
  const { job, sequence, now, heldBack } = request
  const own: PlannedExecution[] =
    placement.place === 'skip'
      ? []
      : [scheduled(request, tick, placement.place === 'start' ? 'pending' : 'blocked')]
  const reason = heldBack ? 'disabled' : placement.reason
  const skipped =
    placement.reason === undefined || reason === undefined ? [] : skipSpan(sequence, tick, tick + 1, reason)
  return {
    executions: [...caughtUp, ...own],
    ranges: [...ranges, ...skipped],
    accountedUntil: now + 1,
    placement,
    keepCatchUps: keepOf(job.spec, caughtUp),
  }
}

function keepOf(spec: JobSpec, made: readonly unknown[]): number | null {
  if (made.length === 0) return null
  return spec.catchUp.policy === 'latest' ? 1 : spec.catchUp.maxMissedRuns
}

function catchUpExecutions(request: PlanRequest, ticks: readonly number[]): PlannedExecution[] {
  const state = request.job.spec.overlap === 'allow' ? 'pending' : 'blocked'
  return ticks.map((tickAt, index) => ({
    tickAt,
    cause: 'catch_up',
    account: 'caught_up',
    state,
    readyAt: request.catchUpReadyAt(index),
    index: index + 1,
    of: ticks.length,
  }))
}

function scheduled(request: PlanRequest, tickAt: number, state: 'pending' | 'blocked'): PlannedExecution {
  const readyAt = tickAt + jitterOf(request, tickAt)
  return { tickAt, cause: 'schedule', account: 'fired', state, readyAt, index: 1, of: 1 }
}

/** The same tick always gets the same delay, on any node, and never reaches the next tick. */
function jitterOf({ job, sequence }: PlanRequest, tickAt: number): number {
  if (job.spec.jitterMs === 0) return 0
  const next = sequence.next(tickAt)
  const limit = next === null ? job.spec.jitterMs : Math.min(job.spec.jitterMs, next - tickAt - 1)
  return limit <= 0 ? 0 : stableHash(`${job.id}:${tickAt}`) % (limit + 1)
}

/**
 * Ticks of the next moments, made early so that workers start them on time. Only where nothing of the job could get in
 * their way: any other tick is decided when it is due.
 */
function planAhead(request: PlanRequest, due: DuePlan, limit: number): PlannedExecution[] {
  const { job, sequence, lane, now, aheadMs } = request
  if (aheadMs === 0) return []
  const allow = job.spec.overlap === 'allow'
  const quiet = lane.active.length + lane.waiting + lane.chained + due.executions.length === 0
  if (!allow && !quiet) return []
  const ahead: PlannedExecution[] = []
  let tick = sequence.next(Math.max(job.accountedUntil - 1, now))
  while (tick !== null && tick <= now + aheadMs && ahead.length < (allow ? limit : Math.min(1, limit))) {
    ahead.push(scheduled(request, tick, 'pending'))
    tick = sequence.next(tick)
  }
  return ahead
}

function followingDue(
  { job, sequence, now }: PlanRequest,
  executions: readonly PlannedExecution[],
  ranges: readonly RangeDraft[],
  accountedUntil: number,
): { nextDueAt: number | null; openTickAt: number | null } {
  if (job.spec.schedule?.kind !== 'fixed_delay') {
    return { nextDueAt: sequence.next(accountedUntil - 1), openTickAt: null }
  }
  // An execution's end writes the next instant; a skip has no end, so it writes it here.
  if (executions.length > 0) return { nextDueAt: null, openTickAt: null }
  const openTickAt = ranges.length > 0 ? now + job.spec.schedule.delayMs : job.openTickAt
  return { nextDueAt: openTickAt, openTickAt }
}
