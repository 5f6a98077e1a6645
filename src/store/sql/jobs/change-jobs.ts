/**
 * One change of many jobs, in one transaction. Nearly all of them have nothing due, nothing ahead and nothing blocked:
 * these are written together, in a few statements for all. The others go the way of a single change, one after the other.
 */
import { EvertickError } from '../../../core/error.ts'
import type { Job } from '../../../core/job/job.ts'
import { nextJobState } from '../../../core/job/job-state.ts'
import type { TickPlan } from '../../../core/tick/plan-ticks.ts'
import type { ChangeContext, ChangeJobs, JobOutcome } from '../../store.ts'
import type { CursorMove, HotScripts } from '../hot-scripts.ts'
import { type Changed, recordChanges } from '../notices/tell-changes.ts'
import { jobFrom, text } from '../runtime/rows.ts'
import { look, rows, type Script, type ScriptContext } from '../runtime/script.ts'
import { endOfPause } from '../ticks/account-ticks.ts'
import { cursorMoved, jobAfter } from '../ticks/apply-plan.ts'
import { insertRangesOfMany, type RangesOfJob } from '../ticks/ledger-rows.ts'
import { isUnderZoneData } from '../ticks/ledger-spans.ts'
import { dormantReasons, duePlan, skipPlan } from '../ticks/settle.ts'
import { jobsWithBlocked, laneOf } from '../work/lane.ts'
import { changeEntry, changeHeld, standing } from './change-job.ts'
import { jobNotFound } from './create-job.ts'
import { evaluates, type Turn, turnOf } from './turn.ts'

type Change = ChangeJobs['change']

export function* changeJobs(
  { names, change, context: by, outOfTime }: ChangeJobs,
  context: ScriptContext,
  hot: Pick<HotScripts, 'movePauses'>,
): Script<JobOutcome[]> {
  const jobs = yield* holdJobs(names)
  const blocked = yield* jobsWithBlocked([...jobs.values()].map(({ id }) => id))
  const batch = new Batch()
  const outcomes: JobOutcome[] = []
  for (const name of names) {
    if (outcomes.length > 0 && outOfTime()) break
    const job = jobs.get(name)
    if (job === undefined) {
      outcomes.push({ became: 'refused', error: jobNotFound(name) })
      continue
    }
    const unchanged = refusedOrLeft(job, change, by)
    if (unchanged !== null) {
      outcomes.push(unchanged)
      continue
    }
    const isPlain = !blocked.has(job.id) && isUnderZoneData(job, context)
    const quiet = isPlain ? quietChange(job, change, by) : null
    if (quiet !== null) batch.add(job, quiet, by.now)
    const changed = quiet?.changed ?? (yield* changeHeld(job, change, by, context))
    batch.changes.push({ entry: changeEntry(job, changed, change, by), job: changed })
    outcomes.push({ became: 'changed', pause: changed.pause })
  }
  yield* batch.write(by.now, hot)
  return outcomes
}

/** By name. In id order, like everybody who holds the rows of several jobs. */
function* holdJobs(names: readonly string[]): Script<ReadonlyMap<string, Job>> {
  const found = yield* look('SELECT id FROM @jobs WHERE name IN ?* AND deleted_at IS NULL', names)
  const held = yield* rows(
    'SELECT * FROM @jobs WHERE id IN ?* AND deleted_at IS NULL ORDER BY id FOR UPDATE',
    found.map(({ id }) => text(id)),
  )
  return new Map(held.map((job) => [text(job.name), jobFrom(job)]))
}

/** Nothing is written yet: in this transaction no single job could take its writes back. */
function refusedOrLeft(job: Job, change: Change, by: ChangeContext): JobOutcome | null {
  const { now } = by
  const mayComeBack = job.state === 'completed' && isAhead(job, now)
  if (mayComeBack || endOfPause(job, now) !== null || !evaluates(job)) return { became: 'left' }
  try {
    if (change.kind === 'pause' || change.kind === 'resume') turnOf(job, change, by)
    if (change.kind === 'cancel') nextJobState(job.name, job.state, 'cancel')
    return null
  } catch (error) {
    if (error instanceof EvertickError) return { became: 'refused', error }
    throw error
  }
}

function isAhead({ accountedUntil }: Job, now: number): boolean {
  return accountedUntil > now + 1
}

interface QuietChange {
  readonly changed: Job
  readonly ranges: TickPlan['ranges']
}

/** The job after a change that writes its row, and at most one range; null where it writes more. */
function quietChange(job: Job, change: Change, by: ChangeContext): QuietChange | null {
  if ((change.kind !== 'pause' && change.kind !== 'resume') || isAhead(job, by.now)) return null
  const { settle, become } = turnOf(job, change, by)
  if (settle === null) return { changed: become(job), ranges: [] }
  const plan = quietPlan(job, settle, by.now)
  if (plan === null) return null
  const changed = become(jobAfter(job, plan, by.now))
  // Whether a run will open the next tick of a fixedDelay job is in its executions.
  const asksForRuns =
    change.kind === 'resume' && job.spec.schedule?.kind === 'fixed_delay' && changed.openTickAt === null
  return asksForRuns ? null : { changed, ranges: plan.ranges }
}

function quietPlan(job: Job, settle: NonNullable<Turn['settle']>, now: number): TickPlan | null {
  if (settle === 'dormant') {
    if (job.state === 'active' || job.state === 'error') return null
    return skipPlan(job, now, dormantReasons[job.state], now)
  }
  const plan = duePlan(job, { now, catchUp: settle.catchUp }, laneOf(job, new Map()), false)
  // Whatever is due asks for the lane.
  return plan.executions.length + plan.ranges.length > 0 || plan.ended ? null : plan
}

/** What is written together. Made again with each run of the script. */
class Batch {
  /** Of all jobs, in their order. */
  readonly changes: Changed[] = []
  readonly #moves: CursorMove[] = []
  readonly #ranges: RangesOfJob[] = []

  add(job: Job, { changed, ranges }: QuietChange, now: number): void {
    this.#moves.push({ job, after: { ...standing(changed), updatedAt: now } })
    if (ranges.length > 0) this.#ranges.push({ job, ranges })
  }

  *write(now: number, hot: Pick<HotScripts, 'movePauses'>): Script<void> {
    yield* insertRangesOfMany(this.#ranges, now)
    const moved = this.#moves.length === 0 ? 0 : yield* hot.movePauses(this.#moves)
    if (moved !== this.#moves.length) throw cursorMoved('of a batch')
    yield* recordChanges(this.changes)
  }
}
