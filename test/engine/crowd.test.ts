/** More ticks at one instant than a claim can take: reserved in the second before it, begun at it. */

import { expect, onTestFinished, test } from 'vitest'
import { contextOf } from '../../src/app/app-context.ts'
import { defineJob } from '../../src/index.ts'
import { openTestNode } from '../../src/testing/index.ts'
import { databaseFile } from '../promises/support.ts'

const everyMinute = { cron: '* * * * *' } as const
/** More than a claim of four free slots and a full reserve can take. */
const names = Array.from({ length: 600 }, (_, n) => `tick-${n}`)

function crowd(run: (job: string) => void) {
  return names.map((name) => defineJob({ name, schedule: everyMinute, run: ({ job }) => run(job) }))
}

async function openCrowd(database = 'sqlite::memory:') {
  const began: { readonly job: string; readonly at: number }[] = []
  const jobs = crowd((job) => void began.push({ job, at: node.clock.now() }))
  const node = await openTestNode({ database, jobs, queues: { default: { concurrency: 4 } } })
  onTestFinished(() => node.stop())
  // Runs that have been timed allow a reserve.
  await node.advance('61s')
  began.length = 0
  return { node, began }
}

test('they wait in the reserve half a second before, and all begin at their instant', async () => {
  const { node, began } = await openCrowd()
  await node.advance('58.5s')
  // What is left fits into one claim, and is anybody's until the last moment.
  expect(await node.evertick.leases.active()).toHaveLength(500)
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

test('a pause and a trigger find them as if nobody had reserved them', async () => {
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
  expect(await node.evertick.audit()).toMatchObject({ ok: true })
})

test('a stop gives them back, and the next node runs them', async () => {
  const { url } = databaseFile()
  const first = await openCrowd(url)
  await first.node.advance('58.5s')
  await first.node.stop()
  expect(first.began).toEqual([])
  const second = await openTestNode({ database: url, clock: first.node.clock, jobs: crowd(() => {}) })
  onTestFinished(() => second.stop())
  await second.advance('2s')
  const runs = await second.executions('tick-7')
  expect(runs.map(({ state, attempt }) => [state, attempt])).toEqual([
    ['completed', 1],
    ['completed', 1],
  ])
})

test('a transaction before their instant renews its own lease, and not all of theirs', async () => {
  const { node } = await openCrowd()
  await node.evertick.define(defineJob({ name: 'orders', run: (ctx) => ctx.transaction(async () => 'done') }))
  await node.advance('58.5s')
  const { store } = contextOf(node.evertick)
  const renewed: number[] = []
  const extend = store.work.extendLeases.bind(store)
  store.work.extendLeases = async (request) => {
    renewed.push(request.claims.length)
    return await extend(request)
  }
  await node.evertick.enqueue('orders')
  await node.settle()
  expect(renewed).toEqual([1])
})
