/** What an operator has changed on a job of code is told by the names of the options, until code writes it anew. */
import { expect, onTestFinished, test } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { openTestNode } from '../../src/testing/index.ts'

test('overrides are what differs from the definition that the manager wrote last', async () => {
  const node = await openTestNode()
  onTestFinished(() => node.stop())
  const { evertick } = node
  const { jobs } = evertick
  const define = async (priority: number) =>
    await evertick.define(defineJob({ name: 'a', schedule: { every: '1m' }, priority, run: () => null }))
  const overrides = async () => (await jobs.get('a')).overrides
  await define(1)
  expect(await overrides()).toEqual([])
  await node.advance('10s')
  await jobs.update('a', { schedule: { every: '2m' }, timeout: '5s', handler: 'b', input: { n: 1 } })
  expect((await overrides()).toSorted()).toEqual(['handler', 'input', 'schedule', 'timeout'])
  const listed = (await jobs.list()).jobs.map(({ name, overrides: told }) => [name, told.length])
  expect(listed).toEqual([['a', 4]])
  // The same definition leaves them, another one takes them back.
  await define(1)
  expect(await overrides()).toHaveLength(4)
  await define(2)
  expect(await overrides()).toEqual([])
  await jobs.pause('a')
  expect(await overrides()).toEqual([])
})

test('a job that nobody manages has none, whoever changes it', async () => {
  const node = await openTestNode()
  onTestFinished(() => node.stop())
  const { jobs } = node.evertick
  await jobs.create({ name: 'own' })
  expect(await jobs.update('own', { priority: 5 }, { actor: 'ann' })).toMatchObject({ overrides: [] })
})
