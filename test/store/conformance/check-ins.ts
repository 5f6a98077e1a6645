/** Check-ins: each tick has one, whether it comes before its execution, while that waits, or with its timeout. */
import { describe, expect, test } from 'vitest'
import { type CheckInWord, checkInWait } from '../../../src/core/check-in/check-in.ts'
import { checkInKey } from '../../../src/core/job/handler.ts'
import type { ClaimedExecution } from '../../../src/store/store.ts'
import { by, jobSpec, second, stepRecord } from '../builders.ts'
import { at, type Led } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const handler = { type: 'check_in', withinMs: 5 * second, earlyMs: second } as const
const openWait = { kind: 'wait', decided: null, endsAt: at(15) } as const

/** Its ticks are at 10, 20, 30 … */
async function made({ hand, store }: Bench): Promise<Led> {
  await hand.work('n1', [checkInKey])
  const led = await hand.lead()
  await hand.create('a', jobSpec({ handler, overlap: 'allow', catchUp: { policy: 'all' } }))
  await store.checkIns.putCheckInToken('a', 'hash', by(at(0)))
  return led
}

async function waiting(bench: Bench): Promise<ClaimedExecution> {
  const led = await made(bench)
  await bench.hand.account(led, at(10))
  const claim = await bench.hand.claimOne(at(10))
  await bench.store.steps.recordSteps([stepRecord(claim, checkInWait, openWait)])
  return claim
}

let ids = 0
async function said({ store }: Bench, now: number, word: CheckInWord = 'ok', hash = 'hash') {
  ids += 1
  const done = await store.checkIns.checkIn({ hash, id: `c${ids}`, word, note: null, now })
  if (done === null) return null
  return 'tickAt' in done ? `${done.kind} ${(done.tickAt - at(0)) / second}` : done.kind
}

export function describeCheckIns(open: OpenStoreUnderTest): void {
  describe('check-ins', () => {
    test(
      'one answers the wait of its tick, and a second one is none',
      withStore(open, async (bench) => {
        const claim = await waiting(bench)
        const both = await Promise.all([said(bench, at(12)), said(bench, at(12), 'failed')])
        expect(both.toSorted()).toEqual(['again 10', 'counted 10'])
        const [wait] = await bench.store.steps.listSteps(claim.id)
        expect(wait).toMatchObject({ name: checkInWait, outcome: 'signalled', signalledBy: 'check-in' })
        const kept = await bench.store.checkIns.findCheckIn('a', at(10))
        expect(kept).toMatchObject({ tickAt: at(10), endedAt: at(12), startedAt: null })
      }),
    )

    test(
      'the timeout that was written first stands, and so does the check-in that was',
      withStore(open, async (bench) => {
        const claim = await waiting(bench)
        const decided = { at: at(15), outcome: 'timed_out', result: null } as const
        await bench.store.steps.recordSteps([stepRecord(claim, checkInWait, { ...openWait, decided })])
        expect(await said(bench, at(15))).toBe('too_late 10')
        expect(await bench.store.checkIns.findCheckIn('a', at(10))).toBeNull()
      }),
    )

    test(
      'one that comes before its execution is there is kept for it, and wakes nobody',
      withStore(open, async (bench) => {
        const led = await made(bench)
        expect(await said(bench, at(8))).toBe('not_due')
        expect(await said(bench, at(9))).toBe('counted 10')
        expect(await said(bench, at(9.5))).toBe('again 10')
        await bench.hand.account(led, at(10))
        const claim = await bench.hand.claimOne(at(10))
        expect(await bench.store.steps.listSteps(claim.id)).toEqual([])
        expect(await bench.store.checkIns.findCheckIn('a', at(10))).toMatchObject({ outcome: 'ok' })
      }),
    )

    test(
      'what has begun is ended by the next, also where the next tick is due',
      withStore(open, async (bench) => {
        await waiting(bench)
        expect(await said(bench, at(11), 'start')).toBe('counted 10')
        expect(await said(bench, at(11), 'start')).toBe('again 10')
        expect(await said(bench, at(14), 'failed')).toBe('counted 10')
        const kept = await bench.store.checkIns.findCheckIn('a', at(10))
        expect(kept).toEqual({
          tickAt: at(10),
          startedAt: at(11),
          endedAt: at(14),
          outcome: 'failed',
          note: null,
        })
      }),
    )

    test(
      'a tick that was accounted for otherwise takes none, and a job that makes none says so',
      withStore(open, async (bench) => {
        const claim = await waiting(bench)
        await bench.hand.finish(claim, at(11))
        expect(await said(bench, at(12))).toBe('too_late 10')
        await bench.hand.pause('a', at(18))
        expect(await said(bench, at(19))).toBe('inactive')
        expect(await said(bench, at(19), 'ok', 'another')).toBeNull()
        await bench.hand.change('a', { kind: 'delete' }, at(19))
        expect(await said(bench, at(19))).toBeNull()
      }),
    )

    test(
      'a new token ends the one before, and old check-ins are purged',
      withStore(open, async (bench) => {
        await waiting(bench)
        await bench.store.checkIns.putCheckInToken('a', 'next', by(at(11)))
        expect(await said(bench, at(12))).toBeNull()
        expect(await said(bench, at(12), 'ok', 'next')).toBe('counted 10')
        const entries = await bench.store.audit.listAuditLog({ limit: 10, action: 'check_in.rotate' })
        expect(entries).toHaveLength(2)
        expect(await bench.store.checkIns.purgeCheckIns(at(10))).toBe(0)
        expect(await bench.store.checkIns.purgeCheckIns(at(11))).toBe(1)
        expect(await bench.store.checkIns.findCheckIn('a', at(10))).toBeNull()
      }),
    )
  })
}
