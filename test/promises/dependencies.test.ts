/** Jobs after jobs, as a user of the library sees them. */
import { expect, test } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { openNode } from './support.ts'

const plain = (name: string, run: () => unknown = () => name) => defineJob({ name, run })

test('a child runs after its parent, and says what it comes after', async () => {
  const ran: string[] = []
  const child = defineJob({ name: 'child', after: ['parent'], run: ({ cause }) => void ran.push(cause) })
  const node = await openNode({ jobs: [child, plain('parent')] })
  const { jobs } = node.evertick
  expect(await jobs.why('child')).toEqual({
    reason: 'dependency',
    sentence: 'It runs once "parent" succeeds.',
  })
  const { id } = await jobs.trigger('parent')
  await node.advance('5s')
  expect(ran).toEqual(['dependency'])
  const { parents, children, joins } = await jobs.dependencies('child')
  expect({ parents, children }).toEqual({
    parents: [{ job: 'parent', on: 'success', state: 'active' }],
    children: [],
  })
  expect(joins).toMatchObject([
    { state: 'made', rootId: id, sentence: 'It was made: "parent" has completed.' },
  ])
  expect((await jobs.dependencies('parent')).children).toMatchObject([{ job: 'child' }])
  expect(await jobs.graph()).toEqual([{ parent: 'parent', child: 'child', on: 'success' }])
  expect(await jobs.get('child')).toMatchObject({
    after: [{ job: 'parent', on: 'success' }],
    overlap: 'buffer_all',
    scheduleText: 'Once "parent" succeeds',
  })
})

test('a run that was not made has its reason, and the retry that completes makes it', async () => {
  let fails = true
  const parent = plain('parent', () => {
    if (fails) throw new Error('no')
  })
  const child = defineJob({ name: 'child', after: ['parent'], run: () => 'done' })
  const node = await openNode({ jobs: [child, parent] })
  await node.evertick.jobs.update('parent', { retry: { attempts: 1 } })
  const { id } = await node.evertick.jobs.trigger('parent')
  await node.advance('5s')
  expect(await node.executions('child')).toEqual([])
  expect(await node.evertick.why('child')).toMatchObject({
    reason: 'not_made',
    sentence: 'It runs once "parent" succeeds. Its last run was not made: "parent" failed.',
  })
  fails = false
  await node.evertick.executions.retry(id)
  await node.advance('5s')
  expect(await node.executions('child')).toMatchObject([{ state: 'completed', rootId: id }])
})

test('what a pause holds back says so, and goes on with the resume', async () => {
  const child = defineJob({ name: 'child', after: ['parent'], run: () => 'done' })
  const node = await openNode({ jobs: [child, plain('parent')] })
  const { jobs } = node.evertick
  await jobs.pause('child')
  await jobs.trigger('parent')
  await node.advance('5s')
  const [held] = await node.executions('child')
  expect(held).toMatchObject({ state: 'blocked' })
  expect(await node.evertick.why(held?.id ?? '')).toMatchObject({ reason: 'paused' })
  await jobs.resume('child', { catchUp: 'all' })
  await node.advance('5s')
  expect(await node.executions('child')).toMatchObject([{ state: 'completed' }])
})

test.each([
  [{ after: ['a'], schedule: { every: '1h' } }, 'a schedule or comes after others'],
  [{ after: ['a', { job: 'a', on: 'failure' }] }, 'named twice'],
  [{ per: 'day' }, 'no meaning without'],
  [{ after: ['a', 'b'], per: 'week' }, 'per.length'],
  [{ after: ['a', 'b'] }, 'go back to "a" and "b"'],
  [{ after: ['job'] }, 'job after job'],
] as const)('%j is refused', async (options, message) => {
  const node = await openNode({ jobs: [plain('a'), plain('b')] })
  await expect(node.evertick.jobs.create({ name: 'job', ...options })).rejects.toThrow(message)
})

test('a parent that is not there is named', async () => {
  const child = defineJob({ name: 'child', after: ['nowhere'], run: () => 'done' })
  const node = await openNode({ jobs: [child] })
  expect(await node.evertick.why('child')).toMatchObject({
    reason: 'no_parent',
    sentence: 'It comes after "nowhere", and there is no such job.',
  })
})

test('a period that misses a parent is closed by the leader', async () => {
  const report = defineJob({ name: 'report', after: ['a', 'b'], per: 'day', run: () => 'done' })
  const node = await openNode({ jobs: [plain('a'), plain('b'), report] })
  await node.evertick.jobs.trigger('a')
  await node.advance('1d')
  expect(await node.evertick.why('report')).toMatchObject({
    reason: 'dependency',
    sentence: 'It waits until "b" succeeds. "a" has completed.',
  })
  await node.advance('1d')
  expect(await node.evertick.why('report')).toMatchObject({ reason: 'not_made' })
})

test('an edit to a schedule takes the place of what it came after, and the other way round', async () => {
  const node = await openNode({ jobs: [plain('a'), plain('b')] })
  const { jobs } = node.evertick
  await jobs.create({ name: 'job', after: ['a', 'b'], per: 'day' })
  expect(await jobs.update('job', { schedule: { every: '1h' } })).toMatchObject({ after: [], per: {} })
  expect(await jobs.update('job', { after: ['a'] })).toMatchObject({ schedule: null, nextRunAt: null })
  expect((await jobs.dependencies('a')).children).toMatchObject([{ job: 'job' }])
})

test('a day begins in the zone of the node, unless the job names another', async () => {
  const node = await openNode({ jobs: [plain('a'), plain('b')], timezone: 'Europe/Madrid' })
  const own = { after: ['a', 'b'] }
  const { jobs } = node.evertick
  expect(await jobs.create({ name: 'one', ...own, per: 'day' })).toMatchObject({
    per: { length: 'day', timezone: 'Europe/Madrid' },
  })
  const per = { length: 'day', timezone: 'UTC' }
  expect(await jobs.create({ name: 'two', ...own, per })).toMatchObject({ per })
})
