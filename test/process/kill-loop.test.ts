import { afterEach, beforeEach, expect, test } from 'vitest'
import { OrderWork } from '../rig/order-work.ts'
import { Scene } from './scene.ts'
import { until } from './until.ts'

const kills = Number(process.env.EVERTICK_KILLS ?? 3)

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(async () => await scene.close())

test(
  `kill -9 of the only node, ${kills} times at random moments: every tick accounted once, every order once, nothing lost`,
  async () => {
    const startedAt = performance.now()
    const work = await OrderWork.begin(scene)
    for (let kill = 0; kill < kills; kill += 1) {
      const child = work.node()
      // Every third one is killed as soon as it leads, while it repairs; the others after some work.
      if (kill % 3 === 2) await child.heard('elected')
      const enough = work.witnessed().length + 1 + Math.floor(Math.random() * 100)
      await until('some work', () => work.witnessed().length >= enough)
      child.send('SIGKILL')
      expect((await child.exited).signal).toBe('SIGKILL')
    }
    await work.finish(work.node())
    const { ticks, terms } = await work.expectWhole()

    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    const crashed = scene.count(`evertick_attempts WHERE outcome = 'crashed'`)
    process.stdout.write(
      `${kills} kills, ${terms} terms, ${work.orders.length} orders, ${work.effects.length} effects ` +
        `(${work.witnessed().length} written), ${ticks} ticks, ${crashed} crashed attempts, ${seconds} s\n`,
    )
  },
  60_000 + kills * 10_000,
)
