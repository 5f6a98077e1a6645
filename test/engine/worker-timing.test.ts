/** `worker.extendAt` and `worker.poll`: when a lease is renewed, and when a worker looks without being told. */

import { expect, onTestFinished, test } from 'vitest'
import { contextOf } from '../../src/app/app-context.ts'
import { defineConfig, defineJob, Evertick } from '../../src/index.ts'
import { openTestNode } from '../../src/testing/index.ts'

test.each([
  [0.5, 150],
  [0.2, 60],
  [0.9, 270],
])('with extendAt %d a lease of 300 s is renewed after %d s', async (extendAt, seconds) => {
  const node = await openTestNode({
    worker: { lease: '300s', extendAt },
    jobs: [defineJob({ name: 'long', run: (ctx) => node.clock.sleep(3_600_000, ctx.signal) })],
  })
  onTestFinished(() => node.stop())
  const { id } = await node.evertick.enqueue('long')
  await node.settle()
  const leasedUntil = async () => (await node.evertick.executions.get(id)).leasedUntil?.getTime()
  const first = await leasedUntil()
  await node.advance(`${seconds - 1}s`)
  expect(await leasedUntil()).toBe(first)
  await node.advance('2s')
  expect(await leasedUntil()).toBeGreaterThan(first ?? Number.POSITIVE_INFINITY)
  await node.advance('1h')
  expect(await node.evertick.executions.get(id)).toMatchObject({ state: 'completed', attempt: 1 })
})

test('a lease that is renewed late is still renewed twice before it ends', async () => {
  const node = await openTestNode({
    worker: { lease: '1s', extendAt: 0.95 },
    jobs: [defineJob({ name: 'long', run: (ctx) => node.clock.sleep(60_000, ctx.signal) })],
  })
  onTestFinished(() => node.stop())
  const { id } = await node.evertick.enqueue('long')
  await node.advance('2m')
  expect(await node.evertick.executions.get(id)).toMatchObject({ state: 'completed', attempt: 1 })
})

test('a worker looks for work as often as poll says, whatever it has heard', async () => {
  const looks: number[] = []
  const node = await openTestNode({ roles: ['worker'], worker: { poll: '7s' } })
  onTestFinished(() => node.stop())
  const { store } = contextOf(node.evertick)
  const claim = store.work.claimExecutions.bind(store)
  store.work.claimExecutions = async (request) => {
    looks.push(request.now - Date.parse('2026-01-01T00:00:00Z'))
    return await claim(request)
  }
  await node.advance('30s')
  expect(looks).toEqual([7_000, 14_000, 21_000, 28_000])
})

test.each([
  [{ extendAt: 0 }, 'worker.extendAt'],
  [{ extendAt: 1 }, 'worker.extendAt'],
  [{ poll: '1ms' }, 'worker.poll'],
  [{ poll: 'soon' }, 'worker.poll'],
])('%o is refused', async (worker, field) => {
  await expect(
    Evertick.open({ database: 'sqlite::memory:', worker: worker as object }),
  ).rejects.toMatchObject({ field })
})

test('a slip of the pen has a suggestion', () => {
  const written = () => defineConfig({ worker: { extentAt: 0.5 } } as object)
  expect(written).toThrow('unknown option "worker.extentAt"')
})
