/** Work under a lock stops no later than the lease does, whatever becomes of the keeper. */
import { expect, it } from 'vitest'
import { HeldLock } from '../../src/app/locks/held-lock.ts'
import { LockExtender } from '../../src/app/locks/lock-extender.ts'
import { EvertickError } from '../../src/core/error.ts'
import { ManualClock } from '../../src/testing/index.ts'

const ttlMs = 10_000
type Answer = 'yes' | 'no' | 'away' | 'silent'

/** A lock that was asked for at the instant 0, and a keeper that answers as told. */
function keep() {
  const clock = new ManualClock()
  const extendedAt: number[] = []
  const keeper = {
    answer: 'yes' as Answer,
    acquire: async () => null,
    async extend() {
      extendedAt.push(clock.now())
      if (keeper.answer === 'away') throw new EvertickError('redis_unavailable', 'away')
      if (keeper.answer === 'silent') await clock.sleep(ttlMs * 10)
      return keeper.answer !== 'no'
    },
    release: async () => true,
    read: async () => null,
  }
  const request = { name: 'report', owner: 'me', token: 't', ttlMs, waitMs: 0, pauseMs: () => 0 }
  const lock = new HeldLock(keeper, request, 1)
  const extender = new LockExtender({ lock, until: ttlMs }, ttlMs, clock)
  return { clock, keeper, extender, extendedAt }
}

async function move(clock: ManualClock, ms: number): Promise<void> {
  const end = clock.now() + ms
  for (;;) {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
    const next = clock.nextTimerAt()
    if (next === null || next > end) break
    clock.moveTo(next)
  }
  clock.moveTo(end)
}

it('extends at half of the ttl, and leaves no timer behind', async () => {
  const { clock, extender, extendedAt } = keep()
  await move(clock, 26_000)
  expect(extendedAt).toEqual([5_000, 10_000, 15_000, 20_000, 25_000])
  await extender.stop()
  expect(extender.lost.aborted).toBe(false)
  expect(clock.nextTimerAt()).toBeNull()
})

it('stops at once where the keeper says that it is lost', async () => {
  const { clock, keeper, extender } = keep()
  keeper.answer = 'no'
  await move(clock, 5_000)
  expect(extender.lost.reason).toMatchObject({ code: 'lock_lost' })
  await extender.stop()
  expect(clock.nextTimerAt()).toBeNull()
})

it('goes on where the keeper is back in time', async () => {
  const { clock, keeper, extender, extendedAt } = keep()
  keeper.answer = 'away'
  await move(clock, 8_500)
  keeper.answer = 'yes'
  await move(clock, 8_000)
  expect(extendedAt).toEqual([5_000, 6_000, 7_000, 8_000, 9_000, 14_000])
  expect(extender.lost.aborted).toBe(false)
  await extender.stop()
})

it.each(['away', 'silent'] as const)('stops with the lease where the keeper is %s', async (answer) => {
  const { clock, keeper, extender } = keep()
  await move(clock, 6_000)
  keeper.answer = answer
  await move(clock, 8_999)
  expect(extender.lost.aborted).toBe(false)
  await move(clock, 1)
  expect(extender.lost.reason).toMatchObject({ code: 'lock_lost' })
})
