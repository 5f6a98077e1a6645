/** Events on `node:diagnostics_channel`. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, onTestFinished, test } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { openNode } from '../promises/support.ts'

test('each event is published once on the channel of its name, with what its listeners are given', async () => {
  const published: unknown[] = []
  const hear = (message: unknown) => published.push(message)
  subscribe('evertick:execution:completed', hear)
  onTestFinished(() => void unsubscribe('evertick:execution:completed', hear))
  const node = await openNode({ jobs: [defineJob({ name: 'greet', run: () => 'hello' })] })
  const heard: unknown[] = []
  node.evertick.on('execution:completed', (event) => heard.push(event))
  await node.evertick.enqueue('greet')
  await node.advance('1s')
  expect(heard).toHaveLength(1)
  expect(published).toEqual(heard)
})
