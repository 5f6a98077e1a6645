/** One history from beginning to end. */
import { never } from '../../../src/core/execution/step.ts'
import { nominalSequence } from '../../../src/core/job/sequence.ts'
import { isWebhookJob } from '../../../src/core/notice/webhook.ts'
import { specFrom } from '../../../src/store/sql/runtime/rows.ts'
import type { ExecutionRow } from '../check/change-log.ts'
import { at } from '../check/ledger-entries.ts'
import { Violation } from '../check/violation.ts'
import type { Plan } from '../plan/plan.ts'
import type { Observer, Say } from './observer.ts'
import type { Tally } from './tally.ts'
import { World } from './world.ts'

export interface Ended {
  readonly plan: Plan
  readonly violation: Violation | null
  readonly tally: Tally
}

const drainMs = 2 * 3_600_000
const farAheadMs = 600_000
/** On SQLite the transactions of handlers hold everybody up, 2 s each. */
const lateMs = 10_000

export async function runPlan(plan: Plan, say: Say | null = null): Promise<Ended> {
  const world = await World.make(plan, say)
  let violation: Violation | null = null
  try {
    await live(world)
  } catch (error) {
    violation = error instanceof Violation ? error : unexpected(error)
    world.observer.say(`✗ ${violation.rule}: ${violation.message}`)
  }
  const { tally } = world
  await world.close()
  return { plan, violation, tally }
}

async function live(world: World): Promise<void> {
  const { timeline, plan, observer } = world
  await world.live()
  world.heal()
  const { leaderLeaseMs, heartbeatMs, workerLeaseMs, longestSleepMs } = plan.timing
  const recoveryMs = 3 * leaderLeaseMs + 2 * heartbeatMs + workerLeaseMs + longestSleepMs / 60 + 30_000
  await timeline.runUntil(timeline.now + recoveryMs)
  checkRecovered(observer)
  world.stopTicking()
  await timeline.runUntil(timeline.now + drainMs, () => isDrained(observer))
  checkDrained(observer)
  await world.audit()
  for (const node of world.nodes) {
    node.wanted = false
    node.stop(0)
  }
  await timeline.runUntil(timeline.now + 60_000, () => world.nodes.every(({ life }) => life === null))
  observer.look()
  const left = world.nodes.find(({ life }) => life !== null)
  if (left !== undefined) throw new Violation('a stop ends', `${left.name} has not stopped`)
  observer.checker.finish(plan)
  await world.audit()
}

/** After any fault heals, full service returns by itself: somebody leads, and no tick that is due waits. */
function checkRecovered({ checker: { model }, wrongClocks, now }: Observer): void {
  if (wrongClocks) return
  const leader = model.locks.get('leader')
  if (leader === undefined || leader.expires_at + lateMs < now)
    throw new Violation('somebody leads', 'nobody leads, long after everything healed')
  for (const job of model.jobs.values()) {
    if (job.state !== 'active') continue
    const next =
      nominalSequence(job.name, specFrom(job.spec))?.next(job.accounted_until - 1) ?? job.open_tick_at
    if (next !== null && next < now - lateMs)
      throw new Violation(
        'service returns by itself',
        `${job.name}: ${at(next)} is due and has no account`,
        job.name,
      )
  }
}

function isDrained(observer: Observer): boolean {
  const { model, notices } = observer.checker
  const ticking = [...model.jobs.values()].some(
    ({ name, state }) => state === 'active' && !isWebhookJob(name),
  )
  return !ticking && notices.arePassed && waiting(observer) === undefined
}

/**
 * Whatever has a clock dated a day ahead waits for that day, and what is behind it in its lane with it. Deliveries to where
 * nobody answers come seldom.
 */
function waiting({ checker: { model }, now }: Observer): ExecutionRow | undefined {
  for (const { id, name } of model.jobs.values()) {
    const open = isWebhookJob(name) ? [] : model.open(id)
    if (
      open.length > 0 &&
      !open.some(({ ready_at: readyAt }) => readyAt > now + farAheadMs && readyAt !== never)
    )
      return open[0]
  }
  return undefined
}

function checkDrained(observer: Observer): void {
  const left = waiting(observer)
  if (left === undefined) return
  const job = observer.checker.model.nameOf(left.job_id)
  const what = `an execution by ${left.cause} is still ${left.state}, ready at ${at(left.ready_at)}`
  throw new Violation('nothing waits for ever', `${job}: ${what}`, job)
}

function unexpected(error: unknown): Violation {
  const said = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return new Violation('no error of ours', said)
}
