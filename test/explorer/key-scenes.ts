/** Keys that stand for many events: of one key each an execution that waits, one that runs, one for another try. It begins in its claim: none is ever in a reserve. */
import type { Ending } from '../../src/core/attempt/outcome.ts'
import type { KeyedEvent } from '../../src/core/execution/unique-key.ts'
import type { Claim, NewExecution, Store } from '../../src/store/store.ts'
import { by, idOf, jobSpec, newExecution } from '../store/builders.ts'
import { at, type ByHand, leaseMs } from '../store/by-hand.ts'
import type { Name } from './conductor.ts'
import type { Verbs } from './scenes.ts'
import { claimVerb, late } from './work-scenes.ts'

const now = at(20)
const error = { name: 'Error', message: 'no' }
const again = { state: 'retrying', error, readyAt: now, countsAttempt: true } as const

/** At `now`, under a key of its mode. */
function event(id: string, key: string, rule: Partial<KeyedEvent> = {}): NewExecution {
  const { mode = 'replace', withinMs = null, maxMs = null } = rule
  return newExecution(id, 'a', { createdAt: now, input: id, event: { key, mode, withinMs, maxMs } })
}

const throttled = { mode: 'throttle', withinMs: 60_000 } as const

export async function keyVerbs(hand: ByHand, store: Store): Promise<Verbs> {
  for (const nodeId of ['n1', 'n2']) await hand.work(nodeId)
  await hand.create('a', jobSpec({ schedule: null, retention: { executions: 1, ageMs: 0 } }))
  let claimedAt = at(0)
  const enqueue = async (name: string, rule: Partial<KeyedEvent> = {}) =>
    await store.work.enqueueExecutions([{ ...event(name, name, rule), createdAt: at(0), readyAt: at(0) }])
  const claimed = async (name: string, rule: Partial<KeyedEvent> = {}) => {
    await enqueue(name, rule)
    claimedAt += 1
    return claimOf(await hand.claimOne(claimedAt))
  }
  await hand.finish(await claimed('failed'), at(1), { state: 'failed', error })
  await hand.finish(await claimed('again'), at(1), { ...again, readyAt: late })
  const run = await claimed('run')
  await claimed('span', throttled)
  await enqueue('wait')
  const finish = async (to: Store, ending: Ending) =>
    await to.work.finishAttempts({
      nodeId: 'n1',
      attempts: [{ ...run, attempt: 1, ending, finishedAt: now }],
      now,
    })
  const send = (key: string, rule?: Partial<KeyedEvent>) => async (to: Store, me: Name) =>
    await to.work.enqueueExecutions([event(me, key, rule)])
  const retry = (name: string) => async (to: Store, me: Name) =>
    (await to.executions.retryExecution(idOf(name), { id: idOf(me), fromStep: null }, by(now))).state
  const cancel = (name: string) => async (to: Store) =>
    (await to.executions.cancelExecution(idOf(name), by(now))).state
  return {
    'event for what waits': send('wait'),
    'event for what runs': send('run'),
    'event for another try': send('again'),
    'event for what has failed': send('failed'),
    'event for a span': send('span', throttled),
    'event for nothing': send('new'),
    'events for all': (to, me) => {
      const keys = ['wait', 'run', 'again', 'new']
      const ordered = me === 'A' ? keys : keys.toReversed()
      return to.work.enqueueExecutions(ordered.map((key) => event(`${me}${key}`, key)))
    },
    'claim all': claimVerb({ now: late, readyBy: late }),
    complete: (to) => finish(to, { state: 'completed', result: 1 }),
    fail: (to) => finish(to, { state: 'failed', error }),
    'try again': (to) => finish(to, again),
    extend: (to) => to.work.extendLeases({ claims: [run], leasedUntil: late + leaseMs, now }),
    expire: async (to) => (await to.work.expireLeases({ now: late, limit: 10, random: () => 0 })).expired,
    'cancel waiting': cancel('wait'),
    'cancel running': cancel('run'),
    'cancel another try': cancel('again'),
    'retry by hand': retry('failed'),
    cancel: (to) => to.jobs.changeJob('a', { kind: 'cancel' }, by(now)),
    delete: (to) => to.jobs.changeJob('a', { kind: 'delete' }, by(now)),
    purge: (to) => to.ticks.purgeHistory({ afterJobId: null, jobs: 10, now: at(90 * 86_400) }),
  }
}

function claimOf({ id, fence }: Claim): Claim {
  return { id, fence }
}
