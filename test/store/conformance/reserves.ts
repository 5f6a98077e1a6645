/** A worker's reserve: one number says what has begun, and only while nobody has taken anything out of it. */
import { describe, expect, test } from 'vitest'
import type { ClaimedExecution } from '../../../src/store/store.ts'
import { by, idOf, jobSpec, nameOf, newExecution, t0 } from '../builders.ts'
import { at, type ByHand, leaseMs } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const onDemand = jobSpec({ schedule: null })
const ours = { nodeId: 'n1', queue: 'default' }
/** When the rescuer comes for what was claimed at the beginning. */
const expiredAt = t0 + leaseMs + 2_000

/** Five, of which one starts in the claim and four are reserved. */
async function reserveFour({ hand, store }: Bench): Promise<readonly ClaimedExecution[]> {
  await hand.work()
  await hand.create('a', onDemand)
  await store.work.enqueueExecutions(['e1', 'e2', 'e3', 'e4', 'e5'].map((id) => newExecution(id, 'a')))
  const { fromPlace } = await store.work.openReserve(ours, t0)
  return await hand.claim(t0, { start: 1, reserveFrom: fromPlace })
}

const begin = (upTo: number, turn = 1, seconds = 1) => ({ ...ours, turn, upTo, now: at(seconds) })

async function attemptsOf(hand: ByHand): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const name of ['e1', 'e2', 'e3', 'e4', 'e5']) {
    const { state, attempt } = await hand.execution(idOf(name))
    found[name] = `${state} ${attempt}`
  }
  return found
}

export function describeReserves(open: OpenStoreUnderTest): void {
  describe('a reserve', () => {
    test(
      'its places go on from where it was opened, in the order of the claim',
      withStore(open, async (under) => {
        const claimed = await reserveFour(under)
        expect(claimed.map(({ id, started, place }) => [id, started, place])).toEqual([
          [idOf('e1'), true, null],
          [idOf('e2'), false, 1],
          [idOf('e3'), false, 2],
          [idOf('e4'), false, 3],
          [idOf('e5'), false, 4],
        ])
      }),
    )

    test(
      'of a worker that died, what had begun by its place counts, and nothing else',
      withStore(open, async (under) => {
        const { hand, store } = under
        await reserveFour(under)
        expect(await store.work.beginReserved(begin(2))).toBe(true)
        await hand.expire(expiredAt)
        expect(await attemptsOf(hand)).toEqual({
          e1: 'retrying 1',
          e2: 'retrying 1',
          e3: 'retrying 1',
          e4: 'pending 0',
          e5: 'pending 0',
        })
        expect(await store.executions.listAttempts(idOf('e3'))).toMatchObject([
          { attempt: 1, outcome: 'crashed', startedAt: at(1), nodeId: 'n1' },
        ])
        expect(await store.executions.listAttempts(idOf('e4'))).toEqual([])
      }),
    )

    test(
      'once something was taken out of it, nothing begins by its place any more, and each row says whose it is',
      withStore(open, async (under) => {
        const { hand, store } = under
        const [, second] = await reserveFour(under)
        await hand.expire(expiredAt)
        expect(await store.work.beginReserved(begin(4, 1, 40))).toBe(false)
        expect(await store.work.startAttempts(second === undefined ? [] : [second], at(40))).toEqual([
          idOf('e2'),
        ])
      }),
    )

    test(
      'a cancel of an execution or of its job interrupts it, and the cancelled one does not begin',
      withStore(open, async (under) => {
        const { hand, store } = under
        const [, second, third, fourth] = await reserveFour(under)
        await store.executions.cancelExecution(idOf('e3'), by(at(1)))
        expect(await store.work.beginReserved(begin(4))).toBe(false)
        const claims = [second, third].filter((claim) => claim !== undefined)
        expect(await store.work.startAttempts(claims, at(2))).toEqual([idOf('e3')])
        expect(await attemptsOf(hand)).toMatchObject({ e2: 'running 1', e3: 'cancelled 0' })

        const { turn, fromPlace } = await store.work.openReserve(ours, at(3))
        await hand.change('a', { kind: 'cancel' }, at(4))
        expect(await store.work.beginReserved(begin(fromPlace, turn, 5))).toBe(false)
        expect(await store.work.startAttempts(fourth === undefined ? [] : [fourth], at(5))).toEqual([
          idOf('e4'),
        ])
        expect(await attemptsOf(hand)).toMatchObject({ e4: 'cancelled 0' })
      }),
    )

    test(
      'opened anew, it counts beyond all its places: what had begun says so in its row, and no mark passes what had not',
      withStore(open, async (under) => {
        const { hand, store } = under
        await reserveFour(under)
        await store.work.beginReserved(begin(1))
        const { turn, fromPlace } = await store.work.openReserve(ours, at(2))
        expect({ turn, isBeyond: fromPlace > 1_000 }).toEqual({ turn: 2, isBeyond: true })
        expect(await attemptsOf(hand)).toMatchObject({ e2: 'running 1', e3: 'running 0' })
        expect(await store.work.beginReserved(begin(fromPlace + 9, turn, 3))).toBe(true)
        await hand.expire(expiredAt)
        expect(await attemptsOf(hand)).toMatchObject({ e2: 'retrying 1', e3: 'pending 0', e5: 'pending 0' })
      }),
    )

    test(
      'opened twice with nothing begun in between, it counts beyond the first time too',
      withStore(open, async ({ store }) => {
        const places = []
        for (let time = 0; time < 3; time += 1)
          places.push((await store.work.openReserve(ours, t0)).fromPlace)
        expect(new Set(places).size).toBe(3)
        expect(places).toEqual(places.toSorted((a, b) => a - b))
      }),
    )

    test.each([
      ['completes', { state: 'completed', result: 7 }, 'completed 1', at(2)],
      ['fails', { state: 'failed', error: { name: 'Error', message: 'no' } }, 'failed 1', at(2)],
      [
        'snoozes',
        { state: 'pending', readyAt: at(9), error: null, countsAttempt: false },
        'pending 0',
        at(2),
      ],
      [
        'is tried again',
        { state: 'retrying', readyAt: at(9), error: { name: 'Error', message: 'no' }, countsAttempt: true },
        'retrying 1',
        at(2),
      ],
    ] as const)('what began by its place and %s says so in its row', async (_, ending, after, startedAt) => {
      await withStore(open, async (under) => {
        const { hand, store } = under
        await reserveFour(under)
        await store.work.beginReserved(begin(1))
        const attempt = { id: idOf('e2'), fence: 1, attempt: 1, ending, startedAt, finishedAt: at(3) }
        expect(
          await store.work.finishAttempts({ nodeId: 'n1', attempts: [attempt], now: at(3) }),
        ).toMatchObject({
          refused: [],
        })
        expect(await attemptsOf(hand)).toMatchObject({ e2: after })
        expect(await hand.execution(idOf('e2'))).toMatchObject({ startedAt })
      })()
    })

    test(
      'what was never begun cannot be ended',
      withStore(open, async (under) => {
        await reserveFour(under)
        expect(await under.hand.finish({ id: idOf('e2'), fence: 1 }, at(2))).toMatchObject({
          refused: [idOf('e2')],
        })
      }),
    )

    test(
      'a long run says in its row when it began, once',
      withStore(open, async (under) => {
        const { hand, store } = under
        await reserveFour(under)
        await store.work.beginReserved(begin(1))
        const note = { id: idOf('e2'), fence: 1, startedAt: at(1) }
        await store.work.noteStarts([note])
        await store.work.noteStarts([{ ...note, startedAt: at(2) }])
        expect(await hand.execution(idOf('e2'))).toMatchObject({ attempt: 1, startedAt: at(1) })
        await hand.expire(expiredAt)
        expect(await attemptsOf(hand)).toMatchObject({ e2: 'retrying 1' })
      }),
    )

    test(
      'a node that stops takes it along, unless something is still leased to it',
      withStore(open, async (under) => {
        const { hand, store } = under
        const claimed = await reserveFour(under)
        await store.work.beginReserved(begin(1))
        const [first, second, ...rest] = claimed
        await store.work.releaseClaims(rest, at(2))
        await hand.finish(first ?? { id: '', fence: 0 }, at(2))
        await store.cluster.removeNode('n1')
        await hand.expire(expiredAt)
        expect(await attemptsOf(hand)).toMatchObject({ [nameOf(second?.id ?? '')]: 'retrying 1' })
        await store.cluster.removeNode('n1')
        expect(await store.work.openReserve(ours, expiredAt)).toEqual({ turn: 1, fromPlace: 1 })
      }),
    )

    test(
      'it outlives its node for those who find its leases, and goes when there are none',
      withStore(open, async (under) => {
        const { hand, store } = under
        await reserveFour(under)
        await store.work.beginReserved(begin(2))
        await hand.work('n2')
        const later = expiredAt + 60_000
        await store.cluster.touchNode('n2', later, 1_000)
        await hand.expire(later)
        expect(await attemptsOf(hand)).toMatchObject({ e3: 'retrying 1' })
        await store.cluster.touchNode('n2', later + 1, 1_000)
        expect(await store.work.openReserve(ours, later)).toEqual({ turn: 1, fromPlace: 1 })
      }),
    )

    test(
      'of a worker that was taken for dead and lives, no place is handed out twice, and no mark of the lost count holds',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const { turn, fromPlace } = await store.work.openReserve(ours, t0)
        await hand.work('n2')
        await store.cluster.touchNode('n2', expiredAt, 1_000)
        await hand.work()
        await hand.create('a', onDemand)
        await store.work.enqueueExecutions(['e1', 'e2'].map((id) => newExecution(id, 'a')))
        const claimed = await hand.claim(expiredAt, { start: 0, reserveFrom: fromPlace })
        expect(claimed.map(({ place }) => place)).toEqual([1, 2])
        const again = await store.work.openReserve({ ...ours, nextPlace: 3 }, expiredAt)
        expect(again.fromPlace).toBeGreaterThan(2)
        expect(await store.work.beginReserved({ ...ours, turn, upTo: 2, now: expiredAt })).toBe(false)
      }),
    )
  })
}
