/** More ticks at one instant than there are slots: reserved in the second before it, begun at it. */
import { expect, onTestFinished, test } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { openTestNode } from '../../src/testing/index.ts'

const everyMinute = { cron: '* * * * *' } as const
const names = Array.from({ length: 30 }, (_, n) => `tick-${n}`)

async function openCrowd() {
  const began: { readonly job: string; readonly lateness: number; readonly at: number }[] = []
  const jobs = names.map((name) =>
    defineJob({
      name,
      schedule: everyMinute,
      run: ({ job, lateness }) => void began.push({ job, lateness, at: node.clock.now() }),
    }),
  )
  const node = await openTestNode({ jobs, queues: { default: { concurrency: 4 } } })
  onTestFinished(() => node.stop())
  // Runs that have been timed allow a reserve.
  await node.advance('61s')
  began.length = 0
  return { node, began }
}

test('they wait in the reserve half a second before, and all begin at their instant', async () => {
  const { node, began } = await openCrowd()
  await node.advance('58.5s')
  expect(await node.evertick.leases.active()).toHaveLength(names.length)
  expect(began).toEqual([])
  await node.advance('600ms')
  expect(began.map(({ job }) => job).toSorted()).toEqual(names.toSorted())
  expect(new Set(began.map(({ at }) => new Date(at).toISOString()))).toEqual(
    new Set(['2026-01-01T00:02:00.000Z']),
  )
  expect(await node.evertick.audit()).toMatchObject({ ok: true })
})

test('what comes meanwhile need not wait for them', async () => {
  const { node, began } = await openCrowd()
  await node.advance('58.5s')
  await node.evertick.enqueue('tick-0')
  await node.settle()
  expect(began).toMatchObject([{ job: 'tick-0' }])
})

test('a pause, a trigger and a stop find them as if nobody had reserved them', async () => {
  const { node, began } = await openCrowd()
  await node.advance('58.5s')
  await node.evertick.jobs.pause('tick-1')
  await node.evertick.jobs.trigger('tick-2')
  await node.advance('600ms')
  expect(began.filter(({ job }) => job === 'tick-1')).toEqual([])
  expect(began.filter(({ job }) => job === 'tick-2')).toHaveLength(2)
  expect(began).toHaveLength(names.length)
  await node.evertick.jobs.resume('tick-1')
  expect((await node.ticks('tick-1')).at(-1)).toMatchObject({ account: 'skipped', reason: 'paused' })

  await node.advance('59.4s')
  const { nodeId } = node.evertick
  expect((await node.evertick.leases.active()).every(({ leasedBy }) => leasedBy === nodeId)).toBe(true)
  expect(await node.evertick.audit()).toMatchObject({ ok: true })
})
