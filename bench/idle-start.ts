/** From `enqueue` on a node that has nothing to do until its handler is called. */
import { defineJob } from '../src/index.ts'
import { type Measure, quantile } from './measure.ts'
import { withEvertick } from './scratch-database.ts'

const count = 100

export const idleStart: Measure = {
  name: 'idle-start',
  async run({ say }) {
    say('idle start')
    let called = (_: number) => {}
    const job = defineJob({ name: 'idle', run: () => called(performance.now()) })
    return await withEvertick({ jobs: [job] }, async (evertick) => {
      await evertick.start()
      const times: number[] = []
      for (let n = 0; n < count; n += 1) {
        // Long enough for the last end to be written and the node to sleep again.
        await new Promise((resolve) => setTimeout(resolve, 20))
        const startedAt = performance.now()
        const begun = new Promise<number>((resolve) => {
          called = resolve
        })
        await evertick.enqueue(job)
        times.push((await begun) - startedAt)
      }
      return [
        { name: 'idle start, p50', engine: 'sqlite', value: quantile(times, 0.5), unit: 'ms' },
        { name: 'idle start, p99', engine: 'sqlite', value: quantile(times, 0.99), unit: 'ms' },
      ]
    })
  },
}
