/** Work that shares a limit: one of it runs, one waits in the list, one is ready, and one of another key, too. */
import type { Ending } from '../../src/core/attempt/outcome.ts'
import type { Store } from '../../src/store/store.ts'
import { by, idOf, jobSpec, newExecution } from '../store/builders.ts'
import { at, type ByHand } from '../store/by-hand.ts'
import type { Verbs } from './scenes.ts'
import { claimVerb, late } from './work-scenes.ts'

const now = at(20)
const failure = { name: 'Error', message: 'no' }
const spec = jobSpec({
  schedule: null,
  limits: ['shared', { by: 'input.customer', concurrency: 1, rate: null }],
})

export async function limitVerbs(hand: ByHand, store: Store): Promise<Verbs> {
  await hand.work('n1')
  await hand.work('n2')
  await store.limits.setLimit('shared', { concurrency: 2, rate: null }, by(at(0)))
  await hand.create('a', spec)
  const of = (name: string, customer: string) => newExecution(name, 'a', { input: { customer } })
  await store.work.enqueueExecutions([of('run', 'x'), of('waiting', 'x')])
  const [run] = await hand.claim(at(0))
  if (run === undefined) throw new Error('one was to be claimed')
  await store.work.enqueueExecutions([of('ready', 'y'), of('behind', 'x')])
  const finish = async (to: Store, ending: Ending) => {
    const attempt = { id: run.id, fence: run.fence, attempt: 1, ending, finishedAt: now }
    return await to.work.finishAttempts({ nodeId: 'n1', attempts: [attempt], now })
  }
  const cancel = async (to: Store, name: string) =>
    (await to.executions.cancelExecution(idOf(name), by(now))).state
  return {
    'claim one, limited': claimVerb({ limit: 1, start: 1 }),
    'claim all, limited': claimVerb(),
    enqueue: (to, me) => to.work.enqueueExecutions([of(me, 'x')]),
    'enqueue another key': (to, me) => to.work.enqueueExecutions([of(me, me)]),
    complete: (to) => finish(to, { state: 'completed', result: 1 }),
    fail: (to) => finish(to, { state: 'failed', error: failure }),
    'try again': (to) => finish(to, { state: 'retrying', error: failure, readyAt: now, countsAttempt: true }),
    'cancel waiting': (to) => cancel(to, 'waiting'),
    'cancel ready': (to) => cancel(to, 'ready'),
    expire: async (to) => (await to.work.expireLeases({ now: late, limit: 10, random: () => 0 })).expired,
    'cancel job': (to) => to.jobs.changeJob('a', { kind: 'cancel' }, by(now)),
    'lower the limit': async (to) => {
      await to.limits.setLimit('shared', { concurrency: 1, rate: null }, by(now))
    },
    'raise the limit': async (to) => {
      await to.limits.setLimit('shared', { concurrency: 9, rate: null }, by(now))
    },
    'delete the limit': (to) => to.limits.deleteLimit('shared', by(now)),
    'edit the limit': (to) =>
      to.jobs.changeJob('a', { kind: 'edit', spec: (job) => ({ ...job.spec, limits: ['shared'] }) }, by(now)),
    'pause queue': (to) => to.cluster.pauseQueue('default', null, by(now)),
  }
}
