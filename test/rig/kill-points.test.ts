/** A node that dies at an exact line, each time the worst one for something: the next one finishes, nothing is lost or doubled. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Scene } from '../process/scene.ts'
import { failpoint, failpointNames } from './failpoints.ts'
import { OrderWork } from './order-work.ts'

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(async () => await scene.close())

test.each(failpointNames)(
  'kill -9 where it stands: %s',
  async (name) => {
    const work = await OrderWork.begin(scene)
    // Not the first time: something has been done before, and something is under way.
    const dying = work.node(failpoint(name, 3, 'kill'))
    expect(await dying.exited).toEqual({ code: null, signal: 'SIGKILL' })
    await work.finish(work.node())
    await expect(work.expectWhole()).resolves.toBeDefined()
  },
  60_000,
)
