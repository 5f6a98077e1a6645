/** Flows and batches: one of each under way, and a flow that has failed. */
import type { Ending } from '../../src/core/attempt/outcome.ts'
import type { Claim, Store } from '../../src/store/store.ts'
import { by, idOf, jobSpec, newExecution } from '../store/builders.ts'
import { at, type ByHand } from '../store/by-hand.ts'
import { newFlow } from '../store/made-flow.ts'
import type { Verb, Verbs } from './scenes.ts'
import { claimVerb, late } from './work-scenes.ts'

const now = at(20)
const error = { name: 'Error', message: 'no' }
const failed: Ending = { state: 'failed', error }
const completed: Ending = { state: 'completed', result: 1 }

export async function groupVerbs(hand: ByHand, store: Store): Promise<Verbs> {
  for (const nodeId of ['n1', 'n2']) await hand.work(nodeId)
  const retention = { executions: 1, ageMs: 0 }
  for (const job of ['a', 'b']) await hand.create(job, jobSpec({ schedule: null, retention }))
  await store.flows.createFlow(newFlow(['p', 'q:p'], { id: 'over' }))
  await hand.finish(await hand.claimOne(at(0)), at(1), failed)
  await store.flows.createFlow(newFlow(['x', 'e', 'd:x e', 'z:d']))
  await store.batches.enqueueBatch({
    id: idOf('batch'),
    name: null,
    createdAt: at(0),
    items: [newExecution('m', 'a'), newExecution('n', 'b')],
    onDone: newExecution('done', 'b'),
  })
  // Leases of different ends: which of two equal ones is taken back first, nobody can say.
  const held = new Map<string, Claim>()
  for (const second of [2, 3, 4, 5]) {
    const { id, fence } = await hand.claimOne(at(second))
    held.set(id, { id, fence })
  }
  const end = (ending: Ending, ...names: string[]): Verb => {
    const claims = names.map((name) => held.get(idOf(name)) ?? { id: idOf(name), fence: 0 })
    return async (store) => await finish(store, claims, ending)
  }
  return {
    'complete x': end(completed, 'x'),
    'complete e': end(completed, 'e'),
    'fail e': end(failed, 'e'),
    'complete m': end(completed, 'm'),
    'fail n': end(failed, 'n'),
    'complete x and m': end(completed, 'x', 'm'),
    expire: async (store) =>
      (await store.work.expireLeases({ now: late, limit: 10, random: () => 0 })).expired,
    'claim all': claimVerb(),
    'cancel waiting': async (store) => (await store.executions.cancelExecution(idOf('d'), by(now))).state,
    'cancel what follows': async (store) =>
      (await store.executions.cancelExecution(idOf('done'), by(now))).state,
    'cancel flow': async (store) => (await store.flows.cancelFlow(idOf('flow'), by(now))).state,
    'retry step': async (store, me) =>
      (await store.executions.retryExecution(idOf('p'), { id: idOf(me), fromStep: null }, by(now))).id,
    'cancel a': (store) => store.jobs.changeJob('a', { kind: 'cancel' }, by(now)),
    'delete b': (store) => store.jobs.changeJob('b', { kind: 'delete' }, by(now)),
    purge: (store) => store.ticks.purgeHistory({ afterJobId: null, jobs: 10, now: at(90 * 86_400) }),
  }
}

async function finish(store: Store, claims: readonly Claim[], ending: Ending): Promise<unknown> {
  const attempts = claims.map((claim) => ({ ...claim, attempt: 1, ending, finishedAt: now }))
  return await store.work.finishAttempts({ nodeId: 'n1', attempts, now })
}
