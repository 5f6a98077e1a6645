import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Evertick } from '../../src/index.ts'
import { expectQuiet, Scene } from './scene.ts'
import { until } from './until.ts'

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(async () => await scene.close())

const byItself = { code: 0, signal: null }
const held = `evertick_job_executions WHERE state = 'running'`

async function enqueue(evertick: Evertick, job: string, count: number): Promise<string[]> {
  const made = await evertick.enqueueMany(Array.from({ length: count }, () => ({ job })))
  return made.map(({ id }) => id)
}

/** Nothing is left of the node: no lease, no term without an end, no row of its own. */
function expectSignedOff(): void {
  expect(scene.rows(`SELECT id, attempt FROM ${held}`)).toEqual([])
  expect(scene.count('scheduler_leader_log WHERE stop_time IS NULL')).toBe(0)
  expect(scene.count(`evertick_locks WHERE name = 'leader'`)).toBe(0)
  expect(scene.count('evertick_nodes')).toBe(0)
}

test('SIGTERM gives reservations back at once, hands the lead over, waits for what runs, and the process ends by itself', async () => {
  const node = scene.start('stop-node.ts', { concurrency: 1 })
  await node.heard('elected')
  const evertick = await scene.producer({})
  await enqueue(evertick, 'quick', 20)
  await scene.settled()
  // Twenty short runs are known now, so that the slot which the slow one takes has a reserve beside it.
  const [slow] = await enqueue(evertick, 'slow', 1)
  await node.heard('slow')
  const quick = await enqueue(evertick, 'quick', 100)
  const reserved = `${held} AND started_at IS NULL`
  await until('a reserve', () => scene.count(reserved) > 0)

  node.send('SIGTERM')
  await until('the reserve to be given back', () => scene.count(reserved) === 0)
  await until(
    'the lead to be handed over',
    () => scene.count('scheduler_leader_log WHERE stop_time IS NULL') === 0,
  )
  expect(scene.rows(`SELECT id, attempt FROM ${held}`)).toEqual([{ id: slow, attempt: 1 }])
  expect(
    scene.count(`evertick_job_executions WHERE state = 'pending' AND attempt = 0 AND cause = 'enqueue'`),
  ).toBe(quick.length)
  writeFileSync(join(scene.folder, 'go'), '')
  expect(await node.exited).toEqual(byItself)
  expect(node.all('stopped')).toEqual([{ say: 'stopped', signal: 'SIGTERM' }])
  expect(await evertick.executions.get(slow ?? '')).toMatchObject({
    state: 'completed',
    attempt: 1,
    result: 'finished',
  })
  expectSignedOff()
  expectQuiet([node], /^$/)
})

test('a handler that ignores its signal is waited for, told, given up, and given back without the loss of an attempt', async () => {
  const node = scene.start('stop-node.ts', { concurrency: 2, stopAfter: '300ms' })
  const evertick = await scene.producer({})
  await node.heard('elected')
  const [deaf] = await enqueue(evertick, 'deaf', 1)
  await node.heard('deaf')
  node.send('SIGTERM')
  expect(await node.exited).toEqual(byItself)
  expect(node.all('aborted')).toHaveLength(1)
  expect(await evertick.executions.get(deaf ?? '')).toMatchObject({ state: 'retrying', attempt: 0 })
  expectSignedOff()
  expectQuiet([node], /^$/)
})

test.for(['SIGTERM', 'SIGINT'] as const)(
  'a second signal (%s) ends the wait, and still gives everything back',
  async (second) => {
    const node = scene.start('stop-node.ts', { concurrency: 2 })
    const evertick = await scene.producer({})
    await node.heard('elected')
    const [deaf] = await enqueue(evertick, 'deaf', 1)
    await node.heard('deaf')
    node.send('SIGTERM')
    await until('the stop to begin', () => scene.count('scheduler_leader_log WHERE stop_time IS NULL') === 0)
    expect(node.all('aborted')).toEqual([])
    node.send(second)
    expect(await node.exited).toEqual(byItself)
    expect(node.all('aborted')).toHaveLength(1)
    expect(node.all('stopped')).toEqual([{ say: 'stopped', signal: 'SIGTERM' }])
    expect(await evertick.executions.get(deaf ?? '')).toMatchObject({ state: 'retrying', attempt: 0 })
    expectSignedOff()
    expectQuiet([node], /^$/)
  },
)

test('stops under load cost nothing: each execution starts once, whatever a stop finds in the air', async () => {
  const evertick = await scene.producer({})
  const effects = () => readFileSync(join(scene.folder, 'effects'), 'utf8').split('\n').slice(0, -1)
  let ids: string[] = []
  for (let round = 1; round <= 4; round += 1) {
    const node = scene.start('stop-node.ts', { concurrency: 4 })
    await node.heard('elected')
    ids = [...ids, ...(await enqueue(evertick, 'quick', 250))]
    await until(
      'some work',
      () => scene.count(`evertick_job_executions WHERE state = 'completed'`) > round * 150,
    )
    node.send('SIGTERM')
    expect(await node.exited).toEqual(byItself)
    expectSignedOff()
  }
  const last = scene.start('stop-node.ts', { concurrency: 4 })
  // Whatever is left: a process that has not begun to listen for signals dies by one.
  await last.heard('elected')
  await scene.settled()
  last.send('SIGTERM')
  expect(await last.exited).toEqual(byItself)

  expect(scene.rows('SELECT * FROM evertick_attempts')).toEqual([])
  expect(
    scene.count(`evertick_job_executions WHERE cause = 'enqueue' AND state = 'completed' AND attempt = 1`),
  ).toBe(ids.length)
  expect(effects().sort()).toEqual(ids.sort())
  expect(await evertick.audit()).toMatchObject({ ok: true, unaccounted: 0, doubled: 0 })
  expectQuiet(scene.children, /^$/)
}, 60_000)

test('a stop in the middle of a start leaves nothing running', async () => {
  const node = scene.start('stop-node.ts', { concurrency: 2, stopAtOnce: true })
  expect(await node.exited).toEqual(byItself)
  expect(node.all('stopped')).toHaveLength(1)
  expectSignedOff()
  expectQuiet([node], /^$/)
})
