import { expect, test, vi } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { openTestNode } from '../../src/testing/index.ts'

test('advance stops where there is work, not where a node only looks whether there is some', async () => {
  let ran = 0
  const hourly = defineJob({ name: 'hourly', schedule: { cron: '0 * * * *' }, run: () => void (ran += 1) })
  await using node = await openTestNode({ jobs: [hourly] })
  const moves = vi.spyOn(node.clock, 'moveTo')
  await node.advance('5d')
  expect(ran).toBe(120)
  expect(await node.evertick.audit()).toMatchObject({ ok: true })
  expect(moves.mock.calls.length).toBeLessThan(10 * 120)
})

test('with nothing due, days cost a few heartbeats', async () => {
  await using node = await openTestNode()
  const moves = vi.spyOn(node.clock, 'moveTo')
  await node.advance('5d')
  expect(moves.mock.calls.length).toBeLessThan(5 * 24 * 4)
})
