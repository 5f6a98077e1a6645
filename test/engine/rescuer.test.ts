/** How often the leader looks for leases that have run out. */

import { expect, onTestFinished, test } from 'vitest'
import { contextOf } from '../../src/app/app-context.ts'
import { Evertick, EvertickError } from '../../src/index.ts'
import { openTestNode } from '../../src/testing/index.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** When the lease of a worker that died is taken back, in seconds from its claim. */
async function takenBackAt(sweep: '4s' | '1m' | '7s' | undefined): Promise<number> {
  const leader = { lease: '12h', heartbeat: '3h', ...(sweep === undefined ? {} : { sweep }) } as const
  // Its own database, said aloud: a node that is alone would look for nobody's leases.
  const node = await openTestNode({
    database: 'sqlite::memory:',
    leader,
    logger: silent,
    worker: { lease: '1s' },
  })
  onTestFinished(() => node.stop())
  const { store } = contextOf(node.evertick)
  await node.evertick.jobs.create({ name: 'a', runNow: true })
  const claimedAt = node.clock.now()
  await store.cluster.registerNode(
    {
      id: 'dead',
      host: 'h',
      pid: 1,
      roles: ['worker'],
      queues: {},
      version: '0',
      leaseMs: 30_000,
      startedAt: claimedAt,
      seenAt: claimedAt,
    },
    ['a'],
  )
  const claimed = await store.work.claimExecutions({
    nodeId: 'dead',
    queue: 'default',
    limit: 1,
    start: 1,
    now: claimedAt,
    readyBy: claimedAt,
    leaseMs: 30_000,
  })
  expect(claimed.claimed).toHaveLength(1)
  const expired = new Promise<number>((resolve) =>
    node.evertick.on('lease:expired', () => resolve(node.clock.now())),
  )
  await node.advance('2m')
  return ((await expired) - claimedAt) / 1_000
}

test('every four seconds by default, else as often as `leader.sweep` says', async () => {
  const [usual, seven, minute] = [
    await takenBackAt(undefined),
    await takenBackAt('7s'),
    await takenBackAt('1m'),
  ]
  // The lease ends after 30 s, and is left alone for one second more.
  expect({ usual, seven, minute }).toEqual({ usual: 32, seven: 35, minute: 60 })
})

test('a sweep that never rests is refused', async () => {
  const opening = Evertick.open({ database: 'sqlite::memory:', leader: { sweep: '10ms' } })
  await expect(opening).rejects.toThrow(EvertickError)
  await expect(opening).rejects.toMatchObject({ code: 'invalid_config', field: 'leader.sweep' })
})
