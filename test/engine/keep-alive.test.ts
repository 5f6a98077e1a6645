/** Whatever must be renewed is renewed in time, and its holder is told when it could not be. */
import { expect, it, vi } from 'vitest'
import { KeepAlive } from '../../src/engine/keep-alive.ts'
import { LeaseEnd } from '../../src/engine/lease-end.ts'
import { ManualClock } from '../../src/testing/index.ts'

const everyMs = 1_000
const retryMs = 100

/** Renewals that take as long as told, and fail where told. */
function keep(firstMs?: number) {
  const clock = new ManualClock()
  const renewedAt: number[] = []
  const errors: unknown[] = []
  const mood = { takesMs: 0, fails: false }
  const keepAlive = new KeepAlive({
    clock,
    everyMs,
    retryMs,
    ...(firstMs === undefined ? {} : { firstMs }),
    renew: async () => {
      renewedAt.push(clock.now())
      if (mood.takesMs > 0) await clock.sleep(mood.takesMs)
      if (mood.fails) throw new Error('away')
    },
    onFailed: (error) => errors.push(error),
  })
  keepAlive.start()
  return { clock, keepAlive, mood, renewedAt, errors }
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

it('renews every so often, first where it was told to, and leaves no timer behind', async () => {
  const { clock, keepAlive, renewedAt } = keep(0)
  await move(clock, 2_500)
  expect(renewedAt).toEqual([0, 1_000, 2_000])
  await keepAlive.stop()
  expect(clock.nextTimerAt()).toBeNull()
})

it('is not delayed by a renewal that is slow', async () => {
  const { clock, keepAlive, mood, renewedAt } = keep()
  mood.takesMs = 700
  await move(clock, 3_900)
  expect(renewedAt).toEqual([1_000, 2_000, 3_000])
  await keepAlive.stop()
})

it('tells of a renewal that failed, and tries again sooner', async () => {
  const { clock, keepAlive, mood, renewedAt, errors } = keep()
  mood.fails = true
  await move(clock, 1_150)
  mood.fails = false
  await move(clock, 1_100)
  expect(renewedAt).toEqual([1_000, 1_100, 1_200, 2_200])
  expect(errors).toHaveLength(2)
  await keepAlive.stop()
})

it('a lease is over at the earlier of its two ends, and its holder is told once', async () => {
  const clock = new ManualClock()
  const onOver = vi.fn<() => void>()
  const end = new LeaseEnd(clock, onOver)
  expect(end.isOver).toBe(true)
  end.set({ now: clock.now() + 100_000, monotonic: clock.monotonic() + 90_000 })
  await move(clock, 89_999)
  expect([end.isOver, end.leftMs]).toEqual([false, 1])
  expect(onOver).not.toHaveBeenCalled()
  await move(clock, 1)
  expect(end.isOver).toBe(true)
  expect(onOver).toHaveBeenCalledOnce()
  expect(clock.nextTimerAt()).toBeNull()
})

it('a lease that was given up has no end to tell of', async () => {
  const clock = new ManualClock()
  const onOver = vi.fn<() => void>()
  const end = new LeaseEnd(clock, onOver)
  end.set({ now: clock.now() + 1_000 })
  end.clear()
  expect([end.isOver, clock.nextTimerAt()]).toEqual([true, null])
  await move(clock, 2_000)
  expect(onOver).not.toHaveBeenCalled()
})
