import { beforeEach, expect, test } from 'vitest'
import { endChildren } from './child.ts'
import { Scene } from './scene.ts'

let scene: Scene
beforeEach(() => {
  scene = new Scene()
  return async () => {
    await endChildren()
    await scene.close()
  }
})

test('the handler that blocks the event loop is named while it blocks it, not the one that waits beside it', async () => {
  const node = scene.start('blocked-node.ts', {})
  await node.heard('elected')
  const evertick = await scene.producer({})
  const { id: waiting } = await evertick.enqueue('waits')
  await node.heard('waits')
  const { id } = await evertick.enqueue('blocks')
  // It loops until it is told off: no warning, no end.
  const { message } = await node.heard('warning', ({ message: said }) =>
    String(said).includes('blocked the event loop'),
  )
  expect(message).toContain(`blocks, execution ${id}, has blocked the event loop for more than 2 s, at `)
  expect(message).toContain('blocked-node.ts')
  expect(message).not.toContain(waiting)
  expect(await evertick.result(id)).toBe('told off')
  node.send('SIGTERM')
  expect(await node.exited).toEqual({ code: 0, signal: null })
})
