/** Enqueued work: one execution in each state that a worker, a rescuer or an operator may find it in. */
import type { Claim, Store } from '../../src/store/store.ts'
import { by, idOf, jobSpec, newExecution, newJob, node } from '../store/builders.ts'
import { at, type ByHand, leaseMs } from '../store/by-hand.ts'
import { adopted } from '../store/conformance/adoption.ts'
import type { Name } from './conductor.ts'
import type { Verb, Verbs } from './scenes.ts'

const now = at(20)
/** The leases of the scene have run out by then. */
export const late = at(0) + leaseMs + 10_000
const plain = jobSpec({ schedule: null, tags: ['x'] })
const failure = { name: 'Error', message: 'no' }

async function begin(hand: ByHand, store: Store): Promise<void> {
  await hand.work('n1')
  await hand.work('n2')
  await hand.create('a', plain)
  await store.work.enqueueExecutions([newExecution('failed', 'a')])
  const claim = await hand.claimOne(at(0))
  await hand.finish(claim, at(1), { state: 'failed', error: failure })
}

async function running(hand: ByHand, store: Store, name: string): Promise<Claim> {
  await store.work.enqueueExecutions([newExecution(name, 'a')])
  const { id, fence } = await hand.claimOne(at(0))
  return { id, fence }
}

function jobVerbs(): Verbs {
  return {
    edit: (store) =>
      store.jobs.changeJob('a', { kind: 'edit', spec: ({ spec }) => ({ ...spec, priority: 5 }) }, by(now)),
    define: (store) =>
      store.jobs.changeJob('a', { kind: 'edit', spec: { ...plain, tags: ['y'] }, managedHash: 'h' }, by(now)),
    pause: (store) => store.jobs.changeJob('a', { kind: 'pause' }, by(now)),
    disable: (store) => store.jobs.changeJob('a', { kind: 'disable', reason: 'r' }, by(now)),
    cancel: (store) => store.jobs.changeJob('a', { kind: 'cancel' }, by(now)),
    delete: (store) => store.jobs.changeJob('a', { kind: 'delete' }, by(now)),
    purgeJob: (store) => store.compat.purgeJob('a', 1, late),
    trigger: (store, me) =>
      store.executions.triggerJob(
        'a',
        { id: idOf(`${me}1`), force: false, input: undefined, metadata: {} },
        by(now),
      ),
  }
}

/** Without the definition: of what is claimed while its job is edited, either will do. */
export function claimVerb(overrides: Parameters<ByHand['claim']>[1] = {}): Verb {
  return async (store, me) => {
    const nodeId = me === 'A' ? 'n1' : 'n2'
    const request = {
      nodeId,
      queue: 'default',
      limit: 10,
      start: 10,
      now,
      readyBy: now,
      leaseMs,
      ...overrides,
    }
    const { claimed } = await store.work.claimExecutions(request)
    return claimed.map(({ spec: _, ...claim }) => claim)
  }
}

/** As above, without the definition. */
async function slotVerb(store: Store, me: Name): Promise<unknown> {
  const offer = { nodeId: me === 'A' ? 'n1' : 'n2', queue: 'default', now, leaseMs }
  const claim = await store.work.enqueueIntoSlot(newExecution(me, 'a'), offer)
  return claim === null ? null : { ...claim, spec: null }
}

export async function workVerbs(hand: ByHand, store: Store): Promise<Verbs> {
  await begin(hand, store)
  const run = await running(hand, store, 'run')
  await store.work.enqueueExecutions([
    newExecution('ready', 'a'),
    newExecution('keyed', 'a', { uniqueKey: 'k' }),
  ])
  const finish = async (to: Store, ending: Parameters<ByHand['finish']>[2], used = {}) => {
    const attempt = {
      ...used,
      ...run,
      attempt: 1,
      ending: ending ?? { state: 'completed', result: 1 },
      finishedAt: now,
    }
    return await to.work.finishAttempts({ nodeId: 'n1', attempts: [attempt], now })
  }
  const to = (name: string, id: string, uniqueKey: string | null = null) =>
    newExecution(id, name, { uniqueKey })
  return {
    ...jobVerbs(),
    enqueue: (store, me) => store.work.enqueueExecutions([to('a', me)]),
    'enqueue two': (store, me) => store.work.enqueueExecutions([to('a', `${me}1`), to('a', `${me}2`)]),
    'enqueue to a new job': (store, me) => store.work.enqueueExecutions([to('new', me)]),
    'enqueue to two jobs': (store, me) =>
      store.work.enqueueExecutions([to('a', `${me}1`), to('new', `${me}2`)]),
    'enqueue by key': (store, me) => store.work.enqueueExecutions([to('a', me, 'k')]),
    'enqueue by new key': (store, me) => store.work.enqueueExecutions([to('a', me, 'l')]),
    'enqueue by keys': (store, me) => {
      const keys = me === 'A' ? ['k', 'l', 'm'] : ['m', 'l', 'k']
      return store.work.enqueueExecutions(keys.map((key) => to('a', `${me}${key}`, key)))
    },
    'enqueue by key to a new job': (store, me) => store.work.enqueueExecutions([to('new', me, 'k')]),
    'enqueue by keys to two jobs': (store, me) =>
      store.work.enqueueExecutions([to('a', `${me}1`, 'l'), to('new', `${me}2`, 'l')]),
    'enqueue into a slot': slotVerb,
    create: (store, me) => store.jobs.createJob({ ...newJob('new', plain, now), id: idOf(`job-${me}`) }),
    'begin by hand': (store, me) =>
      store.compat.beginExecution({
        id: idOf(me),
        job: 'a',
        holder: me,
        leaseMs,
        input: 1,
        metadata: {},
        now,
      }),
    adopt: (store) =>
      store.compat.adoptExecutions({
        job: 'a',
        executions: [
          adopted('x1', { uniqueKey: 'k' }),
          adopted('x2', { uniqueKey: 'l' }),
          adopted('x3', { state: 'completed', attempt: 1, finishedAt: now }),
        ],
        now,
      }),
    'claim one': claimVerb({ limit: 1, start: 1 }),
    'claim all': claimVerb(),
    'cancel ready': async (store) => (await store.executions.cancelExecution(idOf('ready'), by(now))).state,
    'cancel keyed': async (store) => (await store.executions.cancelExecution(idOf('keyed'), by(now))).state,
    'cancel running': async (store) => (await store.executions.cancelExecution(idOf('run'), by(now))).state,
    retry: (store, me) =>
      store.executions.retryExecution(idOf('failed'), { id: idOf(me), fromStep: null }, by(now)),
    extend: (store) => store.work.extendLeases({ claims: [run], leasedUntil: late + leaseMs, now }),
    complete: (store) => finish(store, { state: 'completed', result: 1 }),
    'complete, watched': (store) =>
      finish(store, { state: 'completed', result: 1 }, { usage: { peakMemoryBytes: 1, cpuMs: 1 } }),
    fail: (store) => finish(store, { state: 'failed', error: failure }),
    'try again': (store) =>
      finish(store, { state: 'retrying', error: failure, readyAt: now, countsAttempt: true }),
    'complete within': (store) =>
      store.work.completeWithin({
        claim: { ...run, attempt: 1 },
        nodeId: 'n1',
        maxMs: 60_000,
        clock: { now: () => now, sleep: () => new Promise(() => {}) },
        run: async (tx) => await tx.sql`SELECT 1 AS one`,
        ending: () => ({ state: 'completed', result: 1 }),
      }),
    describe: (store) => store.compat.describeExecution(run, { x: 1 }),
    progress: (store) => store.work.recordProgress([{ ...run, progress: 0.5, note: null }]),
    log: (store) => store.work.appendLogs([{ executionId: run.id, at: now, level: 'info', message: 'm' }]),
    expire: async (store) =>
      (await store.work.expireLeases({ now: late, limit: 10, random: () => 0 })).expired,
    purge: (store) => store.ticks.purgeHistory({ afterJobId: null, jobs: 10, now: at(90 * 86_400) }),
    'pause queue': (store) => store.cluster.pauseQueue('default', null, by(now)),
    'resume queue': (store) => store.cluster.resumeQueue('default', by(now)),
    'find orphans': (store) => store.cluster.findOrphans(now + 1, now),
  }
}

/** What waits in the reserve of n1, and n1 itself. */
export async function reserveVerbs(hand: ByHand, store: Store): Promise<Verbs> {
  await begin(hand, store)
  const reserve = { nodeId: 'n1', queue: 'default' }
  const { turn, fromPlace } = await store.work.openReserve(reserve, at(0))
  await store.work.enqueueExecutions(['one', 'two'].map((id) => newExecution(id, 'a')))
  const [one, two] = await hand.claim(at(0), { start: 0, reserveFrom: fromPlace })
  if (one === undefined || two === undefined) throw new Error('two were to be reserved')
  // The first has begun, the second has not, the third is anybody's.
  await store.work.beginReserved({ ...reserve, turn, upTo: fromPlace, now: at(1) })
  await store.work.enqueueExecutions([newExecution('three', 'a')])
  return {
    ...jobVerbs(),
    start: (store) => store.work.startAttempts([two], now),
    'begin reserved': (store) => store.work.beginReserved({ ...reserve, turn, upTo: fromPlace + 1, now }),
    'note starts': (store) => store.work.noteStarts([{ ...one, startedAt: at(1) }]),
    'open reserve': (store) => store.work.openReserve(reserve, now),
    release: (store) => store.work.releaseClaims([two], now),
    extend: (store) => store.work.extendLeases({ claims: [one, two], leasedUntil: late + leaseMs, now }),
    finish: (store) => {
      const attempt = {
        ...one,
        attempt: 1,
        startedAt: now,
        ending: { state: 'completed' as const, result: 1 },
      }
      return store.work.finishAttempts({ nodeId: 'n1', attempts: [{ ...attempt, finishedAt: now }], now })
    },
    expire: async (store) =>
      (await store.work.expireLeases({ now: late, limit: 10, random: () => 0 })).expired,
    'cancel one': async (store) => (await store.executions.cancelExecution(idOf('one'), by(now))).state,
    'cancel two': async (store) => (await store.executions.cancelExecution(idOf('two'), by(now))).state,
    'claim all': claimVerb({ now: late, readyBy: late }),
    'claim into the reserve': claimVerb({ nodeId: 'n1', start: 0, reserveFrom: fromPlace + 2 }),
    'touch this node': async (store) => (await store.cluster.touchNode('n1', late, 1)).known,
    'remove node': (store) => store.cluster.removeNode('n1'),
    'touch node': async (store) => (await store.cluster.touchNode('n2', late, 1)).known,
    'change handlers': (store, me) =>
      store.cluster.changeHandlers('n1', { added: [me, 'new'], removed: ['work'] }),
    'register node': (store, me) =>
      store.cluster.registerNode(node('n1', at(me === 'A' ? 5 : 6)), ['work', me]),
  }
}
