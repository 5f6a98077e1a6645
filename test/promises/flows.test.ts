/** Steps that wait for one another, and many that are counted together, through the whole stack. */
import { expect, test } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { openTestNode, runJob } from '../../src/testing/index.ts'

const start = '2027-01-04T00:00:00Z'

test('a step is told what those before it returned', async () => {
  const add = defineJob<number>({
    name: 'add',
    run: async (ctx) =>
      Object.values(ctx.parents).reduce((sum, { result }) => sum + Number(result), ctx.input),
  })
  await using node = await openTestNode({ jobs: [add], start })
  const { evertick } = node
  const { executions } = await evertick.flow({
    steps: {
      one: { job: add, input: 1 },
      two: { job: 'add', input: 2 },
      sum: { job: add, input: 10, after: ['one', 'two'] },
    },
  })
  await node.settle()
  expect(await evertick.result(executions['sum'] ?? '')).toBe(13)
})

test('its own retries come first: a step that fails once holds up what comes after it, and no more', async () => {
  const shaky = defineJob({
    name: 'shaky',
    retry: { attempts: 2, base: '5s' },
    run: async (ctx) => {
      if (ctx.attempt === 1) throw new Error('not yet')
    },
  })
  await using node = await openTestNode({ jobs: [shaky], start })
  const { evertick } = node
  const { id } = await evertick.flow({ steps: { a: { job: shaky }, b: { job: shaky, after: ['a'] } } })
  await node.settle()
  expect((await evertick.flows.get(id)).steps.map(({ state }) => state)).toEqual(['retrying', 'blocked'])
  await node.advance('20s')
  expect(await evertick.flows.get(id)).toMatchObject({ state: 'completed', counts: { completed: 2 } })
})

test('a flow whose input the schema refuses, or with a key, is refused as a whole, and the step is named', async () => {
  const plain = defineJob({ name: 'plain', run: async () => {} })
  await using node = await openTestNode({ jobs: [plain], start })
  const { evertick } = node
  const keyed = { job: plain, options: { unique: 'k' } as object }
  await expect(evertick.flow({ steps: { a: { job: plain }, b: keyed } })).rejects.toMatchObject({
    code: 'invalid_option',
    field: 'unique',
  })
  await expect(
    evertick.flow({ steps: { a: { job: plain, options: { priority: 5_000 } } } }),
  ).rejects.toMatchObject({ code: 'invalid_option', field: 'steps.a.priority' })
  expect((await evertick.flows.list()).flows).toEqual([])
})

test('what follows a batch has its figures; a job alone is enough to name it', async () => {
  const item = defineJob<number>({ name: 'item', retry: { attempts: 1 }, run: async (ctx) => 1 / ctx.input })
  const told: unknown[] = []
  const done = defineJob({ name: 'done', run: async (ctx) => void told.push(ctx.batch) })
  await using node = await openTestNode({ jobs: [item, done], start })
  const { evertick } = node
  const items = [1, 2, 3].map((input) => ({ job: item, input }))
  const batch = await evertick.enqueueMany(items, { batch: { onDone: done } })
  expect(batch.executions).toHaveLength(3)
  await node.settle()
  expect(told).toEqual([{ id: batch.id, name: null, total: 3, completed: 3, failed: 0, cancelled: 0 }])
  expect(await evertick.enqueueMany([], { batch: { onDone: 'done' } })).toMatchObject({ executions: [] })
  await node.settle()
  expect(told).toHaveLength(2)
})

test('one handler alone is tested with made-up parents', async () => {
  const sum = defineJob({ name: 'sum', run: async (ctx) => ctx.parents['rows']?.result })
  expect(await runJob(sum, { parents: { rows: { result: [7] } } })).toMatchObject({
    outcome: 'done',
    result: [7],
  })
})
