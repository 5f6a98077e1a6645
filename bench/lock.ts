/** Takes and gives back a named lock, through the library. */
import { elapsedMs, type Measure, quantile } from './measure.ts'
import { withEvertick } from './scratch-database.ts'

const count = 300

export const lock: Measure = {
  name: 'lock',
  async run({ say }) {
    say('lock acquisition')
    return await withEvertick({}, async (evertick) => {
      const times: number[] = []
      for (let n = 0; n < count; n += 1) {
        times.push(
          await elapsedMs(async () => {
            const held = await evertick.locks.acquire('bench', { ttl: '10s' })
            if (held === null) throw new Error('A free lock was refused.')
          }),
        )
        await evertick.locks.release('bench')
      }
      return [
        { name: 'lock acquisition, p50', engine: 'sqlite', value: quantile(times, 0.5), unit: 'ms' },
        { name: 'lock acquisition, p99', engine: 'sqlite', value: quantile(times, 0.99), unit: 'ms' },
      ]
    })
  },
}
