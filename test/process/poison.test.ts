import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Evertick, ExecutionView } from '../../src/index.ts'
import { expectAttemptsWithinLimits, expectQuiet, Scene } from './scene.ts'
import { until } from './until.ts'

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(async () => await scene.close())

/** Those that a process survives. */
const mild = ['throw-null', 'throw-thorny', 'throw-in-transaction', 'circular', 'bigint', 'fickle', 'late']
const deadly = ['exit', 'block']
const goodOnes = 200
const concurrency = 10

/** Keeps two nodes alive, as a service manager would. */
function keepAlive(): { stop(): Promise<void>; readonly crashes: () => number } {
  const stopping = new AbortController()
  let crashes = 0
  const lives = [0, 1].map(async () => {
    while (!stopping.signal.aborted) {
      const { code } = await scene.start('poison-node.ts', { lease: '1s' }).exited
      if (code !== 0) crashes += 1
    }
  })
  return {
    crashes: () => crashes,
    async stop() {
      stopping.abort()
      for (const child of scene.children) child.send('SIGTERM')
      await Promise.all(lives)
    },
  }
}

function goodItems(): { job: string; input: { number: number } }[] {
  return Array.from({ length: goodOnes }, (_, number) => ({ job: 'good', input: { number } }))
}

/** The poisons spread among the good ones. */
function mixed(poisons: readonly string[]): { job: string; input?: unknown }[] {
  const good = goodItems()
  const every = Math.floor(goodOnes / poisons.length)
  const mix = poisons.flatMap((job, index) => [...good.slice(index * every, (index + 1) * every), { job }])
  return [...mix, ...good.slice(poisons.length * every)]
}

async function results(evertick: Evertick) {
  const { executions } = await evertick.executions.list({ limit: 1_000 })
  const good = executions.filter(({ job }) => job === 'good')
  expect(good).toHaveLength(goodOnes)
  expect(good.filter(({ state }) => state !== 'completed')).toEqual([])
  expect(scene.rows('SELECT number FROM orders ORDER BY number').map(({ number }) => number)).toEqual(
    goodItems().map(({ input }) => input.number),
  )
  return { good, only: (name: string) => executions.find(({ job }) => job === name) as ExecutionView }
}

beforeEach(() => {
  scene.door.exec('PRAGMA journal_mode = WAL')
  scene.door.exec('CREATE TABLE orders (number INTEGER NOT NULL, execution_id TEXT NOT NULL)')
})

test('whatever a handler throws or returns, its process goes on, the end is written, and the good ones take one attempt', async () => {
  const node = scene.start('poison-node.ts', { lease: '2s' })
  await node.heard('elected')
  const evertick = await scene.producer({})
  await evertick.enqueueMany(mixed(mild))
  await scene.settled()
  node.send('SIGTERM')
  expect(await node.exited).toEqual({ code: 0, signal: null })

  const { good, only } = await results(evertick)
  expect(good.filter(({ attempt }) => attempt !== 1)).toEqual([])
  expect(only('throw-null')).toMatchObject({ state: 'failed', attempt: 3, error: { message: 'null' } })
  expect(only('throw-thorny')).toMatchObject({ state: 'failed', attempt: 3 })
  const message = 'before the first await'
  expect(only('throw-in-transaction')).toMatchObject({ state: 'failed', attempt: 3, error: { message } })
  expect(only('late')).toMatchObject({ state: 'failed', attempt: 1, error: { code: 'timeout' } })
  for (const name of ['circular', 'bigint'])
    expect(only(name)).toMatchObject({ state: 'completed', result: null })
  expect(only('fickle')).toMatchObject({ state: 'completed', result: 'once' })
  expectAttemptsWithinLimits(scene)
  expectQuiet([node], /^[\w-]+ failed, attempt \d of \d, /)
}, 90_000)

test('beside handlers that end or block their process the good ones are done once, and no reservation costs an attempt', async () => {
  const evertick = await scene.producer({})
  const nodes = keepAlive()
  await until('both nodes', async () => (await evertick.nodes.list()).length === 2)
  await evertick.enqueueMany(mixed(deadly))
  await scene.settled()
  await nodes.stop()

  const { good, only } = await results(evertick)
  // A crash costs those that ran beside it an attempt, at most as many as there are slots; the reserve it costs none.
  const burnt = good.reduce((sum, { attempt }) => sum + attempt - 1, 0)
  expect(burnt).toBeLessThanOrEqual((nodes.crashes() + only('block').attempt) * (concurrency - 1))
  expect(scene.count(`evertick_attempts WHERE outcome = 'crashed' AND started_at IS NULL`)).toBe(0)
  expect(only('exit')).toMatchObject({ state: 'failed', attempt: 3, error: { code: 'lease_expired' } })
  expectAttemptsWithinLimits(scene)
  // What blocks its process is named.
  expectQuiet(
    scene.children,
    /^(?:Lease of .* expired; it was held by |Waiting for the lead, held by |Taking the lead from |block, execution )/,
  )
}, 120_000)
