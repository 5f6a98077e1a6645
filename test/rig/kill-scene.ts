/** What a node finds at work: old history, ticks in lanes, claims of its own, another's reserve, and what waits. */
import type { JobSpec } from '../../src/core/job/job.ts'
import type { ClaimedExecution, Store } from '../../src/store/store.ts'
import { by, idOf, jobSpec, minute, nameOf, newExecution, second } from '../store/builders.ts'
import { at, type ByHand, byHand, type Led } from '../store/by-hand.ts'
import type { Given } from './kill-verbs.ts'

export const queues = ['default', 'busy', 'kept'] as const
const plain: JobSpec = jobSpec({ schedule: null })
const error = { name: 'Error', message: 'no' }
const retention = { executions: 2, ageMs: minute }

export interface BuiltScene {
  readonly led: Led
  readonly given: Given
}

export async function buildKillScene(store: Store, effects: string): Promise<BuiltScene> {
  const hand = byHand(store)
  for (const nodeId of ['n1', 'n2']) await hand.work(nodeId)
  const led = await hand.lead()
  await oldHistory(hand, store, led)
  await forgottenJob(hand, store)
  const claimed = await heldWork(hand, store, led)
  await reserve(hand, store)
  await waiting(hand, store)
  return { led, given: { effects, held: Object.fromEntries(claimed.map(heldFrom)) } }
}

/** Ticks of every kind, older than their retention: completed, failed, tried twice, coalesced, caught up; with log lines. */
async function oldHistory(hand: ByHand, store: Store, led: Led): Promise<void> {
  await hand.create('y-old', jobSpec({ retention }))
  const endings = [
    { state: 'completed', result: 1 },
    { state: 'failed', error },
    { state: 'retrying', error, readyAt: at(31), countsAttempt: true },
  ] as const
  for (const [index, ending] of endings.entries()) {
    const now = at(10 * (index + 1))
    await hand.account(led, now)
    const claim = await hand.claimOne(now)
    await store.work.appendLogs([{ executionId: claim.id, at: now, level: 'info', message: 'm' }])
    await hand.finish(claim, now, ending)
  }
  await hand.drain(at(32))
  for (const seconds of [100, 110]) {
    await hand.account(led, at(seconds))
    await hand.drain(at(seconds))
  }
}

async function forgottenJob(hand: ByHand, store: Store): Promise<void> {
  await hand.create('z-gone', { ...plain, retention: { ...plain.retention, ...retention } })
  await store.work.enqueueExecutions([newExecution('gone', 'z-gone')])
  await hand.drain(at(112))
  await hand.change('z-gone', { kind: 'delete' }, at(120))
}

/** What n1 runs: ticks of a lane with one more behind it and of a fixedDelay, and what was enqueued. */
async function heldWork(hand: ByHand, store: Store, led: Led): Promise<readonly ClaimedExecution[]> {
  const busy = { queue: 'busy' }
  await hand.create('lane', jobSpec({ ...busy, overlap: 'buffer_all' }), at(200))
  const delay = { kind: 'fixed_delay', delayMs: 10 * second } as const
  await hand.create('delay', jobSpec({ ...busy, schedule: delay }), at(200))
  await hand.create('plain', plain, at(200))
  await hand.create('once', { ...plain, onCrash: 'fail' }, at(200))
  await hand.account(led, at(210))
  const ticks = await hand.claim(at(210), busy)
  await hand.account(led, at(220))
  const names = ['done', 'more', 'fails', 'again', 'crashes', 'stopped']
  await store.work.enqueueExecutions([
    ...names.map((name) => newExecution(name, 'plain', busy)),
    newExecution('crashes-once', 'once', busy),
  ])
  const enqueued = await hand.claim(at(221), busy)
  await store.executions.cancelExecution(idOf('stopped'), by(at(221)))
  return [...ticks, ...enqueued]
}

/** Two in the reserve of n2: by its place, the first has begun. */
async function reserve(hand: ByHand, store: Store): Promise<void> {
  const kept = { nodeId: 'n2', queue: 'kept' }
  const { turn, fromPlace } = await store.work.openReserve(kept, at(221))
  await store.work.enqueueExecutions(
    ['kept-begun', 'kept-waiting'].map((name) => newExecution(name, 'plain', { queue: 'kept' })),
  )
  await hand.claim(at(221), { ...kept, start: 0, reserveFrom: fromPlace })
  await store.work.beginReserved({ ...kept, turn, upTo: fromPlace, now: at(221) })
}

async function waiting(hand: ByHand, store: Store): Promise<void> {
  await hand.create('hurried', { ...plain, startDeadlineMs: 5 * second }, at(200))
  await store.work.enqueueExecutions([
    newExecution('ready', 'plain'),
    newExecution('keyed', 'plain', { uniqueKey: 'k' }),
    newExecution('late', 'hurried', { createdAt: at(222) }),
  ])
}

function heldFrom({ id, fence, attempt, jobId, jobName, cause, tickAt }: ClaimedExecution) {
  const name = tickAt === null ? nameOf(id) : jobName
  return [name, { id, fence, attempt, claimed: { jobId, cause, tickAt } }] as const
}
