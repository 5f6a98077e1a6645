/** What ran last is not hidden by what is still to come. */
import { expect, onTestFinished, test } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { openTestNode, type TestNode } from '../../src/testing/index.ts'

async function open(run: () => unknown): Promise<TestNode> {
  const node = await openTestNode({
    jobs: [
      defineJob({ name: 'often', schedule: { every: '10s' }, retry: { attempts: 1 }, run }),
      defineJob({ name: 'seldom', run }),
    ],
  })
  onTestFinished(() => node.stop())
  return node
}

test('a tick that is accounted ahead leaves the last run, its outcome and its retry in sight', async () => {
  const node = await open(() => {
    throw new Error('broken')
  })
  const { jobs } = node.evertick
  await node.advance('9.5s')
  expect(await node.executions('often')).toMatchObject([{ state: 'pending' }])
  expect(await jobs.get('often')).toMatchObject({ lastRunAt: null, lastExecution: { state: 'pending' } })
  await node.advance('9.5s')
  expect((await node.executions('often')).map(({ state }) => state).toSorted()).toEqual(['failed', 'pending'])
  const last = {
    status: 'scheduled',
    lastRunAt: new Date('2026-01-01T00:00:10.000Z'),
    lastExecution: { state: 'failed', scheduledFor: new Date('2026-01-01T00:00:10.000Z') },
  }
  const job = await jobs.get('often')
  expect(job).toMatchObject(last)
  expect(job.actions).toContain('retry')
  expect((await jobs.list({ filter: 'last:failed', sort: '-lastRunAt' })).jobs).toMatchObject([last])
  expect(await jobs.stats('often')).toMatchObject({ lastExecution: { state: 'failed' } })
})

test('work that is put off keeps a job pending, and what ran before is told beside it', async () => {
  const node = await open(() => 'done')
  const { jobs } = node.evertick
  await jobs.trigger('seldom')
  await node.settle()
  expect(await jobs.get('seldom')).toMatchObject({ status: 'completed' })
  await node.evertick.enqueue('seldom', undefined, { runAt: new Date('2026-01-01T01:00:00.000Z') })
  expect(await jobs.get('seldom')).toMatchObject({
    status: 'pending',
    lastRunAt: new Date('2026-01-01T00:00:00.000Z'),
    lastExecution: { state: 'completed' },
  })
  expect((await jobs.list({ filter: 'status:pending' })).jobs).toMatchObject([{ name: 'seldom' }])
})
