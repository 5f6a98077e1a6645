/** Jobs that come and go while a node runs. */
import { expect, onTestFinished, test } from 'vitest'
import { defineJob, Evertick } from '../../src/index.ts'
import { openTestNode, type TestNode } from '../../src/testing/index.ts'

async function open(options: Parameters<typeof openTestNode>[0] = {}): Promise<TestNode> {
  const node = await openTestNode(options)
  onTestFinished(() => node.stop())
  return node
}

test('a job defined on a running node has its ticks from then on', async () => {
  const node = await open()
  const ran: string[] = []
  await node.evertick.define(
    defineJob({
      name: 'late',
      schedule: { every: '10s' },
      run: (ctx) => void ran.push(ctx.scheduledFor.toISOString()),
    }),
  )
  await node.advance('25s')
  expect(ran).toEqual(['2026-01-01T00:00:10.000Z', '2026-01-01T00:00:20.000Z'])
  expect(await node.evertick.nodes.handlers()).toEqual(['@check_in', '@http', '@source', '@webhook', 'late'])
  expect(await node.evertick.audit()).toMatchObject({ ok: true, ticks: 2 })
})

test('a job defined again has its new schedule and its new handler', async () => {
  const node = await open()
  const ran: string[] = []
  const job = (seconds: number, word: string) =>
    defineJob({
      name: 'changing',
      schedule: { every: seconds * 1_000, anchor: 'epoch' },
      run: () => void ran.push(word),
    })
  await node.evertick.define(job(10, 'old'))
  await node.advance('10s')
  await node.evertick.define(job(60, 'new'))
  await node.advance('50s')
  expect(ran).toEqual(['old', 'new'])
  expect((await node.evertick.jobs.get('changing')).revision).toBe(2)
})

test('what waits for a handler runs once a node has it', async () => {
  const node = await open()
  await node.evertick.jobs.create({ name: 'waiting', schedule: { every: '10s' }, catchUp: 'all' })
  await node.advance('10s')
  const [waiting] = await node.executions('waiting')
  expect(waiting?.state).toBe('pending')
  await node.evertick.jobs.delete('waiting')
  await node.evertick.jobs.create({ name: 'other', handler: 'wanted', schedule: { every: '10s' } })
  await node.advance('10s')
  await node.evertick.define(defineJob({ name: 'wanted', run: () => 'done' }))
  await node.settle()
  expect((await node.executions('other'))[0]).toMatchObject({ state: 'completed', result: 'done' })
})

test('a node that has forgotten a job leaves it to others, and costs it no attempt', async () => {
  const first = await open({ database: 'sqlite:file:/forgotten?vfs=memdb' })
  const greet = (by: string) => defineJob({ name: 'greet', run: () => by })
  await first.evertick.define(greet('first'))
  const second = await open({ database: 'sqlite:file:/forgotten?vfs=memdb', clock: first.clock })
  await first.evertick.forget('greet')
  const { id } = await second.evertick.enqueue('greet')
  await first.advance('30s')
  expect(await second.evertick.executions.get(id)).toMatchObject({ state: 'pending', attempt: 0 })
  await second.evertick.define(greet('second'))
  await first.advance('5s')
  expect(await second.evertick.executions.get(id)).toMatchObject({
    state: 'completed',
    result: 'second',
    attempt: 1,
  })
})

test('a job that is defined before the start is written by it', async () => {
  const evertick = await Evertick.open({ database: 'sqlite::memory:' })
  onTestFinished(() => evertick.stop())
  await evertick.define(defineJob({ name: 'early', run: () => {} }))
  await evertick.define(defineJob({ name: 'dropped', run: () => {} }))
  await evertick.forget('dropped')
  expect((await evertick.jobs.list()).jobs).toEqual([])
  await evertick.start()
  expect((await evertick.jobs.list()).jobs.map(({ name }) => name)).toEqual(['early'])
})

test('a definition that is refused leaves what was there', async () => {
  const node = await open()
  await node.evertick.define(defineJob({ name: 'kept', run: () => 'old' }))
  const good = defineJob({ name: 'kept', run: () => 'new' })
  const bad = { ...good, options: { schedule: { cron: '61 * * * *' } } }
  await expect(node.evertick.define(bad)).rejects.toMatchObject({ code: 'invalid_cron' })
  const { id } = await node.evertick.enqueue('kept')
  await node.settle()
  expect((await node.evertick.executions.get(id)).result).toBe('old')
})
