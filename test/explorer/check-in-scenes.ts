/** Work that is done elsewhere: a tick whose execution waits, and one that is due and has none yet; check-ins for both. */

import type { CheckInWord } from '../../src/core/check-in/check-in.ts'
import { checkInWait } from '../../src/core/check-in/check-in.ts'
import { checkInKey } from '../../src/core/job/handler.ts'
import type { Store } from '../../src/store/store.ts'
import { by, jobSpec, second, stepRecord } from '../store/builders.ts'
import { at, type ByHand } from '../store/by-hand.ts'
import type { Verb, Verbs } from './scenes.ts'
import { leaderVerbs } from './tick-scenes.ts'
import { claimVerb } from './work-scenes.ts'

const now = at(20)
const handler = { type: 'check_in', withinMs: 9 * second, earlyMs: second } as const
const openWait = { kind: 'wait', decided: null } as const
const timedOut = { kind: 'wait', decided: { at: now, outcome: 'timed_out', result: null } } as const

export async function checkInVerbs(hand: ByHand, store: Store): Promise<Verbs> {
  for (const nodeId of ['n1', 'n2']) await hand.work(nodeId, [checkInKey])
  const led = await hand.lead()
  await hand.create('a', jobSpec({ handler, overlap: 'allow', catchUp: { policy: 'all' } }))
  await store.checkIns.putCheckInToken('a', 'hash', by(at(0)))
  await hand.account(led, at(10))
  const waiting = await hand.claimOne(at(10))
  const { id, fence } = waiting
  await store.steps.recordSteps([stepRecord(waiting, checkInWait, { ...openWait, endsAt: at(19) })])
  const { jobs } = await store.ticks.findDueJobs(now, 10)
  const said =
    (word: CheckInWord, at: number): Verb =>
    async (store, me) => {
      const request = { hash: 'hash', id: `${word} ${me}`, word, note: null, now: at }
      return await store.checkIns.checkIn(request)
    }
  return {
    ...leaderVerbs(led, now, jobs),
    'check in': said('ok', at(19)),
    'check in failed': said('failed', at(19)),
    'check in begun': said('start', at(19)),
    'check in before the tick': said('ok', now),
    'time out': (store) => store.steps.recordSteps([stepRecord(waiting, checkInWait, timedOut)]),
    rotate: (store) => store.checkIns.putCheckInToken('a', 'other', by(now)),
    'purge check-ins': (store) => store.checkIns.purgeCheckIns(at(30)),
    'cancel waiting': async (store) => (await store.executions.cancelExecution(id, by(now))).state,
    complete: (store) =>
      store.work.finishAttempts({
        nodeId: 'n1',
        attempts: [{ id, fence, attempt: 1, ending: { state: 'completed', result: 1 }, finishedAt: now }],
        now,
      }),
    pause: (store) => store.jobs.changeJob('a', { kind: 'pause' }, by(now)),
    delete: (store) => store.jobs.changeJob('a', { kind: 'delete' }, by(now)),
    'claim all': claimVerb({ now, readyBy: now }),
  }
}
