/** Memos and signals: one execution that runs, one that rests, one of a chain that rests, each with a wait that is open. */
import { never } from '../../src/core/execution/step.ts'
import type { Claim, SignalTarget, Store } from '../../src/store/store.ts'
import { by, idOf, jobSpec, newExecution, stepRecord } from '../store/builders.ts'
import { at, type ByHand, leaseMs } from '../store/by-hand.ts'
import type { Verb, Verbs } from './scenes.ts'
import { claimVerb, late } from './work-scenes.ts'

const now = at(20)
const error = { name: 'Error', message: 'no' }
const openWait = { kind: 'wait', decided: null } as const
const timedOut = { kind: 'wait', decided: { at: now, outcome: 'timed_out', result: null } } as const
const rest = {
  readyAt: never,
  error: null,
  countsAttempt: false,
  rest: { state: 'waiting', names: ['w'] },
} as const

export async function stepVerbs(hand: ByHand, store: Store): Promise<Verbs> {
  for (const nodeId of ['n1', 'n2']) await hand.work(nodeId)
  await hand.create('a', jobSpec({ schedule: null, retention: { executions: 1, ageMs: 0 } }))
  // Leases of different ends: which of two equal ones is taken back first, nobody can say.
  let claimedAt = at(0)
  const enqueued = async (name: string, endsAt: number | null = null) => {
    claimedAt += 1
    await store.work.enqueueExecutions([newExecution(name, 'a', { uniqueKey: name })])
    const { id, fence } = await hand.claimOne(claimedAt)
    await store.steps.recordSteps([stepRecord({ id, fence }, 'w', { ...openWait, endsAt })])
    return { id, fence }
  }
  const failed = await enqueued('failed')
  await store.steps.recordSteps([stepRecord(failed, 'step-s')])
  await hand.finish(failed, at(1), { state: 'failed', error })
  const resting = await enqueued('rest')
  await hand.finish(resting, at(1), { state: 'retrying', ...rest })
  const chained = await chainedRest(hand, store)
  const [other, run] = [await enqueued('other'), await enqueued('run', now)]
  return {
    ...memoVerbs(run, other),
    ...signalVerbs(chained.id),
    rest: (store) => finish(store, run, { state: 'retrying', ...rest, readyAt: now }),
    complete: (store) => finish(store, run, { state: 'completed', result: 1 }),
    'try again': (store) =>
      finish(store, run, { state: 'retrying', error, readyAt: now, countsAttempt: true }),
    extend: (store) => store.work.extendLeases({ claims: [run], leasedUntil: late + leaseMs, now }),
    expire: async (store) =>
      (await store.work.expireLeases({ now: late, limit: 10, random: () => 0 })).expired,
    'claim all': claimVerb(),
    'claim woken': claimVerb({ now: never, readyBy: never }),
    'release blocked': (store) => store.work.releaseBlocked('any', now),
    'cancel running': async (store) => (await store.executions.cancelExecution(idOf('run'), by(now))).state,
    'cancel resting': async (store) => (await store.executions.cancelExecution(idOf('rest'), by(now))).state,
    'cancel chained': async (store) => (await store.executions.cancelExecution(chained.id, by(now))).state,
    retry: (store, me) =>
      store.executions.retryExecution(idOf('failed'), { id: idOf(me), fromStep: null }, by(now)),
    cancel: (store) => store.jobs.changeJob('a', { kind: 'cancel' }, by(now)),
    'cancel the chain': (store) => store.jobs.changeJob('c', { kind: 'cancel' }, by(now)),
    purge: (store) => store.ticks.purgeHistory({ afterJobId: null, jobs: 10, now: at(90 * 86_400) }),
  }
}

/** The only one of its chain, and nothing else of its job is under way. */
async function chainedRest(hand: ByHand, store: Store): Promise<Claim> {
  const led = await hand.lead()
  await hand.create('c', jobSpec({ catchUp: { policy: 'all', graceMs: 0 } }))
  await hand.account(led, at(15))
  await hand.change('c', { kind: 'pause' }, at(15))
  const { id, fence } = await hand.claimOne(at(15))
  await store.steps.recordSteps([stepRecord({ id, fence }, 'w', openWait)])
  await hand.finish({ id, fence }, at(16), { state: 'blocked', ...rest })
  return { id, fence }
}

function memoVerbs(run: Claim, other: Claim): Verbs {
  const record =
    (...records: ReturnType<typeof stepRecord>[]): Verb =>
    (store) =>
      store.steps.recordSteps(records)
  return {
    'record step': record(stepRecord(run, 'step-s')),
    'record steps': record(stepRecord(other, 'step-s'), stepRecord(run, 'step-t')),
    'open wait': record(stepRecord(run, 'v', openWait)),
    'time out': record(stepRecord(run, 'w', timedOut)),
    'step within': (store) =>
      store.steps.stepWithin({
        claim: run,
        maxMs: 60_000,
        clock: { now: () => now, sleep: () => new Promise(() => {}) },
        run: async (tx) => await tx.sql`SELECT 1 AS one`,
        record: () => stepRecord(run, 'step-s'),
      }),
  }
}

function signalVerbs(chained: string): Verbs {
  const signal =
    (target: SignalTarget, name: string, id: string | null = null): Verb =>
    (store, me) =>
      store.steps.signalExecution(target, { id: id ?? me, name, payload: `"${me}"` }, by(now, me))
  return {
    signal: signal(idOf('run'), 'w'),
    'signal by key': signal({ job: 'a', key: 'run' }, 'w'),
    'signal again': signal(idOf('run'), 'w', 'same'),
    'signal another again': signal(idOf('other'), 'w', 'same'),
    'signal early': signal(idOf('run'), 'v'),
    'signal a step': signal(idOf('run'), 'step-s'),
    'signal who rests': signal({ job: 'a', key: 'rest' }, 'w'),
    'signal the chain': signal(chained, 'w'),
  }
}

async function finish(store: Store, claim: Claim, ending: Parameters<ByHand['finish']>[2]): Promise<unknown> {
  const attempt = {
    ...claim,
    attempt: 1,
    ending: ending ?? { state: 'completed', result: 1 },
    finishedAt: now,
  }
  return await store.work.finishAttempts({ nodeId: 'n1', attempts: [attempt], now })
}
