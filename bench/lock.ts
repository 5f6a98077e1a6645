/** Takes and gives back a named lock, through the library. */
import { engineNames } from './engines/engine.ts'
import { type EngineMeasure, elapsedMs, quantilesOf } from './measure.ts'
import { withEvertick } from './scratch-database.ts'

const count = 300

export const lock: EngineMeasure = {
  name: 'lock',
  on: engineNames,
  async run({ engine, say }) {
    say('lock acquisition and release')
    return await withEvertick(engine, {}, async (evertick) => {
      const acquired: number[] = []
      const released: number[] = []
      for (let n = 0; n < count; n += 1) {
        acquired.push(
          await elapsedMs(async () => {
            const held = await evertick.locks.acquire('bench', { ttl: '10s' })
            if (held === null) throw new Error('A free lock was refused.')
          }),
        )
        released.push(await elapsedMs(() => evertick.locks.release('bench')))
      }
      return [
        ...quantilesOf('lock acquisition', 'ms', acquired),
        ...quantilesOf('lock release', 'ms', released),
      ]
    })
  },
}
