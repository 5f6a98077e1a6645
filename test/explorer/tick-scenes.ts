/** A job with a schedule: a tick that runs, one that was accounted ahead, missed ones, and what waits behind them. */
import type { ChangeJobs, Store } from '../../src/store/store.ts'
import { by, every, idOf, jobSpec, second } from '../store/builders.ts'
import { at, type ByHand, type Led, leaseMs } from '../store/by-hand.ts'
import type { Verb, Verbs } from './scenes.ts'
import { claimVerb } from './work-scenes.ts'

export function leaderVerbs(
  led: Led,
  now: number,
  due: Awaited<ReturnType<Store['ticks']['findDueJobs']>>['jobs'],
): Verbs {
  const accountAt = (aheadMs: number): Verb => {
    const request = {
      leader: led,
      termStartAt: led.startAt,
      jobs: due,
      now,
      aheadMs,
      catchUpFrom: now,
      catchUpEveryMs: 0,
    }
    return async (store) => {
      const { led, accounted } = await store.ticks.accountTicks({
        ...request,
        maxExecutions: 100,
        outOfTime: () => false,
      })
      return { led, accounted }
    }
  }
  return {
    account: accountAt(0),
    'account ahead': accountAt(12 * second),
    'take over': (store) =>
      store.cluster.electLeader({ nodeId: 'n2', now: now + 2_000 * 86_400_000, leaseMs }),
  }
}

/** A batch of one: it holds the same rows in the same order as a larger one. */
function changeAll(change: ChangeJobs['change'], now: number): Verb {
  return async (store) => {
    const request = { names: ['a'], change, context: by(now), outOfTime: () => false }
    return (await store.jobs.changeJobs(request)).map(({ became }) => became)
  }
}

function jobVerbs(now: number): Verbs {
  const change =
    (change: Parameters<Store['jobs']['changeJob']>[1]): Verb =>
    (store) =>
      store.jobs.changeJob('a', change, by(now))
  return {
    pause: change({ kind: 'pause' }),
    'pause for a while': change({ kind: 'pause', until: now + 1_000 }),
    resume: change({ kind: 'resume', catchUp: 'all' }),
    'pause all': changeAll({ kind: 'pause' }, now),
    'resume all': changeAll({ kind: 'resume', catchUp: 'skip' }, now),
    disable: change({ kind: 'disable', reason: 'r' }),
    enable: change({ kind: 'enable' }),
    cancel: change({ kind: 'cancel' }),
    delete: change({ kind: 'delete' }),
    edit: change({ kind: 'edit', spec: ({ spec }) => ({ ...spec, schedule: every(15 * second) }) }),
    'edit overlap': change({ kind: 'edit', spec: ({ spec }) => ({ ...spec, overlap: 'allow' }) }),
    'reset cursor': change({ kind: 'reset_cursor' }),
    trigger: (store, me) =>
      store.executions.triggerJob(
        'a',
        { id: idOf(me), force: false, input: undefined, metadata: {} },
        by(now),
      ),
    'force a trigger': (store, me) =>
      store.executions.triggerJob(
        'a',
        { id: idOf(me), force: true, input: undefined, metadata: {} },
        by(now),
      ),
    backfill: (store) =>
      store.executions.backfillJob(
        'a',
        { from: at(0), to: at(25), order: 'oldest_first', limit: 10, dryRun: false },
        by(now),
      ),
    purge: (store) => store.ticks.purgeHistory({ afterJobId: null, jobs: 10, now }),
    'release blocked': async (store) => (await store.work.releaseBlocked([idOf('job-a')], now)).releases,
    'release any': async (store) => (await store.work.releaseBlocked('any', now)).releases,
    'claim all': claimVerb({ now, readyBy: now + 12 * second }),
  }
}

/** Ticks may overlap, and nothing waits: three are done, one is accounted ahead, two are due and not accounted yet. */
export async function tickVerbs(hand: ByHand, store: Store): Promise<Verbs> {
  await hand.work('n1')
  await hand.work('n2')
  const led = await hand.lead()
  const now = at(60)
  await hand.create('a', jobSpec({ retention: { executions: 1, ageMs: 0 }, catchUp: { policy: 'all' } }))
  for (const tick of [10, 20, 30]) {
    await hand.account(led, at(tick))
    await hand.drain(at(tick))
  }
  await hand.account(led, at(39), { aheadMs: 2 * second })
  const { jobs } = await store.ticks.findDueJobs(now + 12 * second, 10)
  const [ahead] = (await hand.executions('a')).filter(({ state }) => state === 'pending')
  return {
    ...leaderVerbs(led, now, jobs),
    ...jobVerbs(now),
    // Before the tick that was accounted ahead: they take it back.
    'pause before': (store) => store.jobs.changeJob('a', { kind: 'pause' }, by(at(39.5))),
    'edit before': (store) =>
      store.jobs.changeJob(
        'a',
        { kind: 'edit', spec: ({ spec }) => ({ ...spec, priority: 5 }) },
        by(at(39.5)),
      ),
    'cancel ahead': async (store) => (await store.executions.cancelExecution(ahead?.id ?? '', by(now))).state,
  }
}

/** A lane of one: a tick runs, a second waits for it, catch-ups wait for both; the lease of the first has run out. */
export async function laneVerbs(hand: ByHand, store: Store): Promise<Verbs> {
  await hand.work('n1')
  await hand.work('n2')
  const led = await hand.lead()
  await hand.create('a', jobSpec({ overlap: 'buffer_all', catchUp: { policy: 'all' } }))
  await hand.account(led, at(10))
  const { id, fence } = await hand.claimOne(at(10))
  await hand.account(led, at(20))
  await store.executions.backfillJob(
    'a',
    { from: at(0), to: at(11), order: 'oldest_first', limit: 10, dryRun: false },
    by(at(21)),
  )
  const [waiting] = (await hand.executions('a')).filter(
    ({ state, cause }) => state === 'blocked' && cause === 'schedule',
  )
  const now = at(60)
  const { jobs } = await store.ticks.findDueJobs(now, 10)
  const finish =
    (ending: Parameters<ByHand['finish']>[2]): Verb =>
    (store) => {
      const attempt = {
        id,
        fence,
        attempt: 1,
        ending: ending ?? { state: 'completed', result: 1 },
        finishedAt: now,
      }
      return store.work.finishAttempts({ nodeId: 'n1', attempts: [attempt], now })
    }
  const error = { name: 'Error', message: 'no' }
  return {
    ...leaderVerbs(led, now, jobs),
    ...jobVerbs(now),
    complete: finish({ state: 'completed', result: 1 }),
    fail: finish({ state: 'failed', error }),
    'try again': finish({ state: 'retrying', error, readyAt: now, countsAttempt: true }),
    snooze: finish({ state: 'blocked', error, readyAt: now, countsAttempt: true }),
    extend: (store) => store.work.extendLeases({ claims: [{ id, fence }], leasedUntil: now + leaseMs, now }),
    expire: async (store) => (await store.work.expireLeases({ now, limit: 10, random: () => 0 })).expired,
    'cancel running': async (store) => (await store.executions.cancelExecution(id, by(now))).state,
    'cancel waiting': async (store) =>
      (await store.executions.cancelExecution(waiting?.id ?? '', by(now))).state,
  }
}
