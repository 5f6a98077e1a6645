import { afterAll, beforeAll, expect, test } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { openTestNode, type TestNode } from '../../src/testing/index.ts'

const job = defineJob({ name: 'report', schedule: { every: '1h' }, retry: { attempts: 5, base: '10s' } })
let node: TestNode

beforeAll(async () => {
  node = await openTestNode({ jobs: [job] })
})

afterAll(async () => {
  await node.stop()
})

test.each([
  [
    'enqueue',
    () => node.evertick.enqueue('report', {}, { priorty: 1 } as object),
    'priorty',
    'Did you mean "priority"?',
  ],
  [
    'jobs.pause',
    () => node.evertick.jobs.pause('report', { untill: '1h' } as object),
    'untill',
    'Did you mean "until"?',
  ],
  [
    'jobs.trigger',
    () => node.evertick.jobs.trigger('report', { forced: true } as object),
    'forced',
    'Did you mean "force"?',
  ],
  ['jobs.list', () => node.evertick.jobs.list({ limt: 5 } as object), 'limt', 'Did you mean "limit"?'],
])(
  '%s refuses an option that it does not know, with the one that was meant',
  async (_call, call, field, next) => {
    await expect(call()).rejects.toMatchObject({ code: 'invalid_option', field, next })
  },
)

test.each([
  ['a priority out of range', { priority: 1e9 }, 'priority'],
  ['an empty queue', { queue: '' }, 'queue'],
  ['an empty unique key', { unique: '' }, 'unique'],
])('enqueue refuses %s', async (_what, options, field) => {
  await expect(node.evertick.enqueue('report', {}, options)).rejects.toMatchObject({
    code: 'invalid_option',
    field,
  })
})

test('a page of less than one row is refused, not answered with nothing', async () => {
  await expect(node.evertick.jobs.list({ limit: -1 })).rejects.toMatchObject({
    code: 'invalid_option',
    field: 'limit',
  })
  await expect(node.evertick.executions.list({ limit: 0 })).rejects.toMatchObject({ field: 'limit' })
})

test('an update of one retry option keeps the others', async () => {
  await node.evertick.jobs.update('report', { retry: { attempts: 4 } })
  const [, edited] = await node.evertick.jobs.revisions('report')
  expect(edited?.options.retry).toMatchObject({ attempts: 4, base: '10s' })
})

test('a backfill of ticks to come is refused: they run by themselves', async () => {
  const span = { from: new Date(node.clock.now()), to: new Date(node.clock.now() + 7_200_000) }
  await expect(node.evertick.jobs.backfill('report', span)).rejects.toMatchObject({
    code: 'invalid_option',
    field: 'to',
  })
})
