/** The leader's own verb: accounts for the due ticks of a batch of jobs, under its fence. */
import { EvertickError } from '../../../core/error.ts'
import type { Job } from '../../../core/job/job.ts'
import { sequenceOfJob } from '../../../core/job/sequence.ts'
import { addMissed, type MissedCount, missedOf, noRepair } from '../../../core/leader/repair.ts'
import { isEmptyPlan, planTicks, type TickPlan } from '../../../core/tick/plan-ticks.ts'
import type {
  AccountedCount,
  AccountedTick,
  AccountRequest,
  AccountResult,
  DueJobs,
  ReleaseAt,
} from '../../store.ts'
import type { HotScripts } from '../hot-scripts.ts'
import { recordChange } from '../notices/tell-changes.ts'
import { jobFrom, number, optionalNumber, text } from '../runtime/rows.ts'
import { insertAll, row, rows, run, type Script, type ScriptContext } from '../runtime/script.ts'
import { insertExecutions } from '../work/insert-execution.ts'
import { isHeldBack, type Lanes, laneOf, loadLanes, settleLane } from '../work/lane.ts'
import { applyPlan, cursorMoved, jobAfter, tickRow } from './apply-plan.ts'
import { jobsOfBatch } from './due-batch.ts'
import { underZoneData } from './ledger-spans.ts'
import { dueOf, skipDue } from './settle.ts'

export function* findDueJobs(until: number, limit: number): Script<DueJobs> {
  const due = yield* rows(
    'SELECT id, version, next_due_at FROM @jobs WHERE next_due_at <= ? ORDER BY next_due_at LIMIT ?',
    until,
    limit,
  )
  const next = yield* row('SELECT min(next_due_at) AS next_due_at FROM @jobs WHERE next_due_at > ?', until)
  return {
    jobs: due.map((job) => ({
      id: text(job.id),
      version: number(job.version),
      nextDueAt: number(job.next_due_at),
    })),
    nextDueAt: optionalNumber(next?.next_due_at),
  }
}

export function* accountTicks(
  request: AccountRequest,
  context: ScriptContext,
  hot: Pick<HotScripts, 'moveCursors'>,
): Script<AccountResult> {
  const { leader } = request
  const batch = new Batch()
  const dueJobs = yield* jobsOfBatch(request)
  if ((yield* row(leadText, leader.holder, leader.termId)) === null) return batch.result(false, 0)

  // In id order, like everybody who holds the rows of several jobs.
  const held = yield* rows(
    'SELECT * FROM @jobs WHERE id IN ?* ORDER BY id FOR UPDATE',
    dueJobs.map(({ id }) => id),
  )
  const jobs = new Map(held.map((job) => [text(job.id), jobFrom(job)]))
  const lanes = yield* loadLanes([...jobs.values()])
  let done = 0
  for (const due of dueJobs) {
    if (done > 0 && (batch.executions >= request.maxExecutions || request.outOfTime())) break
    done += 1
    const job = jobs.get(due.id)
    if (job?.version === due.version) yield* accountJob(job, lanes, request, batch, context)
    else batch.stale += 1
  }
  yield* batch.write(request.now, context, hot)
  yield* batch.writeMissed(leader.termId)
  // Last, so that a renewal waits for no more than the commit, and a new leader for all of it.
  if ((yield* row(`${leadText} FOR SHARE`, leader.holder, leader.termId)) === null) throw new LeadLost()
  return batch.result(true, done)
}

/** Whether this term still leads; with FOR SHARE a takeover waits for the commit. */
export const leadText = `SELECT fence FROM @locks WHERE name = 'leader' AND holder = ? AND fence = ?`

/** The fence refused at the end: all of it is rolled back. */
export class LeadLost extends Error {
  readonly result = new Batch().result(false, 0)
}

const missedColumns = {
  term_id: 'number',
  job_name: 'text',
  account: 'text',
  reason: 'text',
  count: 'number',
} as const

/** What a batch adds up to. Made again with each run of the script. */
class Batch {
  executions = 0
  catchUps = 0
  stale = 0
  repair = noRepair
  readonly #missed: { readonly jobName: string; readonly missed: MissedCount }[] = []
  nextDueAt: number | null = null
  readyAt: number | null = null
  readonly accounted: AccountedTick[] = []
  readonly releases: ReleaseAt[] = []
  readonly #plain: { readonly job: Job; readonly plan: TickPlan }[] = []

  add(job: Job, plan: TickPlan, termStartAt: number): void {
    this.executions += plan.executions.length
    this.catchUps += plan.executions.filter((execution) => execution.cause === 'catch_up').length
    for (const missed of missedOf(plan, termStartAt)) {
      this.repair = addMissed(this.repair, missed)
      this.#missed.push({ jobName: job.name, missed })
    }
    for (const { readyAt } of plan.executions) this.readyAt = Math.min(this.readyAt ?? readyAt, readyAt)
    const inRanges = plan.ranges.reduce((sum, range) => sum + range.count, 0)
    this.accounted.push({
      jobId: job.id,
      jobName: job.name,
      executions: plan.executions.length,
      ranges: plan.ranges.length,
      ticks: plan.executions.length + inRanges,
      accounts: accountsOf(plan),
    })
  }

  /** Written with all others of its kind, in two statements. */
  later(job: Job, plan: TickPlan): void {
    this.#plain.push({ job, plan })
  }

  *write(now: number, context: ScriptContext, hot: Pick<HotScripts, 'moveCursors'>): Script<void> {
    if (this.#plain.length === 0) return
    yield* insertExecutions(
      this.#plain.flatMap(({ job, plan }) => {
        const ids = new Map(plan.executions.map(({ tickAt }) => [tickAt, context.newId(now)]))
        return plan.executions.map((execution) => tickRow(job, execution, ids, now))
      }),
    )
    const moves = this.#plain.map(({ job, plan }) => ({ job, after: jobAfter(job, plan, now) }))
    if ((yield* hot.moveCursors(moves)) !== moves.length) throw cursorMoved('of a batch')
  }

  /** The sum goes into the term, its parts into a table beside it, so that both always agree. */
  *writeMissed(termId: number): Script<void> {
    const { found, caughtUp, coalesced, skipped } = this.repair
    if (found === 0) return
    yield* run(
      `UPDATE @term_repairs SET found = found + ?, caught_up = caught_up + ?, coalesced = coalesced + ?, skipped = skipped + ?
       WHERE term_id = ?`,
      found,
      caughtUp,
      coalesced,
      skipped,
      termId,
    )
    const rows = this.#missed.map(({ jobName, missed: { account, reason, count } }) => ({
      term_id: termId,
      job_name: jobName,
      account,
      reason,
      count,
    }))
    yield* insertAll('missed_ticks', missedColumns, rows)
  }

  due(at: number | null): void {
    if (at !== null) this.nextDueAt = Math.min(this.nextDueAt ?? at, at)
  }

  result(led: boolean, done: number): AccountResult {
    const { accounted, stale, catchUps, repair, nextDueAt, readyAt, releases } = this
    return { led, done, accounted, stale, catchUps, repair, nextDueAt, readyAt, releases }
  }
}

function accountsOf({ executions, ranges }: TickPlan): AccountedCount[] {
  const fired = executions.filter(({ account }) => account === 'fired').length
  const caughtUp = executions.length - fired
  const counts: AccountedCount[] = ranges.map(({ account, reason, count }) => ({
    account,
    reason,
    ticks: count,
  }))
  if (fired > 0) counts.push({ account: 'fired', reason: null, ticks: fired })
  if (caughtUp > 0) counts.push({ account: 'caught_up', reason: null, ticks: caughtUp })
  return counts
}

function* accountJob(
  read: Job,
  lanes: Lanes,
  request: AccountRequest,
  batch: Batch,
  context: ScriptContext,
): Script<void> {
  const { now, aheadMs } = request
  try {
    const job = yield* underZoneData(yield* endPauseIfOver(read, now, context), context)
    if (job.state !== 'active') {
      // The look-ahead found a pause that is about to end: come again then.
      batch.due(job.nextDueAt)
      return
    }
    const lane = laneOf(job, lanes)
    const plan = planTicks({
      job,
      sequence: sequenceOfJob(job),
      lane,
      heldBack: yield* isHeldBack(job, lane),
      now,
      aheadMs,
      catchUpReadyAt: (k) => Math.round(request.catchUpFrom + (batch.catchUps + k) * request.catchUpEveryMs),
    })
    if (isEmptyPlan(plan)) {
      batch.due(plan.nextDueAt)
      return
    }
    if (isPlain(plan) && lane.waiting + lane.chained === 0) {
      batch.later(job, plan)
      batch.add(job, plan, request.termStartAt)
      batch.due(plan.nextDueAt)
      return
    }
    const after = yield* applyPlan(job, plan, now, context)
    batch.add(after, plan, request.termStartAt)
    batch.due(after.nextDueAt)
    if (job.spec.overlap === 'allow') return
    const steppedBack = (plan.placement?.stepBack.length ?? 0) > 0
    batch.releases.push(...(yield* settleLane(steppedBack ? yield* reread(after) : after, now)))
  } catch (error) {
    if (!(error instanceof EvertickError) || error.kind !== 'usage') throw error
    yield* markInvalid(read, error, now)
  }
}

/** Only executions that may start at once, with nothing in their way: nearly every tick. */
function isPlain({ ranges, placement, keepCatchUps, executions }: TickPlan): boolean {
  const makesRoom =
    placement !== null &&
    (placement.stepBack.length > 0 ||
      placement.replace.length > 0 ||
      placement.replaceWaiting ||
      placement.stop !== null)
  const waits = executions.some(({ state }) => state === 'blocked')
  return ranges.length === 0 && !makesRoom && keepCatchUps === null && !waits
}

/** Making room may have counted a yield of the chain. */
function* reread(job: Job): Script<Job> {
  const current = yield* row('SELECT chain_yields FROM @jobs WHERE id = ?', job.id)
  return { ...job, chainYields: number(current?.chain_yields) }
}

/** When the job's pause has run out; null where it has not. */
export function endOfPause({ state, pause }: Job, now: number): number | null {
  const until = state === 'paused' ? (pause?.until ?? null) : null
  return until === null || until > now ? null : until
}

/** A pause that has run out ends at its own end; what came after it follows the catch-up policy. */
export function* endPauseIfOver(job: Job, now: number, context: ScriptContext): Script<Job> {
  const until = endOfPause(job, now)
  if (until === null) return job
  const settled = yield* skipDue(job, until - 1, 'paused', now, context)
  const resumed: Job = { ...settled, state: 'active', pause: null, version: settled.version + 1 }
  const nextDueAt = dueOf(resumed)
  yield* run(
    `UPDATE @jobs SET state = 'active', paused_at = NULL, paused_until = NULL, paused_reason = NULL, paused_by = NULL,
       next_due_at = ?, version = version + 1, updated_at = ? WHERE id = ?`,
    nextDueAt,
    now,
    job.id,
  )
  const [actor, action, subject] = ['evertick', 'job.resume', job.name]
  yield* recordChange({
    entry: { at: now, actor, action, subject, before: job.pause, after: null },
    job: resumed,
  })
  return { ...resumed, nextDueAt }
}

/** A stored spec that no longer evaluates (a zone gone from the time zone data) stops its job, not the scheduler. */
function* markInvalid(job: Job, error: EvertickError, now: number): Script<void> {
  yield* run(
    `UPDATE @jobs SET state = 'error', next_due_at = NULL, version = version + 1, updated_at = ? WHERE id = ?`,
    now,
    job.id,
  )
  const [actor, action, subject] = ['evertick', 'job.error', job.name]
  yield* recordChange({
    entry: { at: now, actor, action, subject, before: null, after: error.message },
    job: { ...job, state: 'error' },
  })
}
