/** What a node costs that has nothing to do: processor time, and calls to the store. */
import { Evertick } from '../src/app/evertick.ts'
import { defineJob } from '../src/index.ts'
import type { Measure } from './measure.ts'
import { inScratch } from './scratch-database.ts'

const settleMs = 2_000
const sampleMs = 10_000

export const idleCost: Measure = {
  name: 'idle-cost',
  async run({ say }) {
    say(`idle cost, a sample of ${sampleMs / 1_000} s`)
    return await inScratch(async (path) => {
      let calls = 0
      const jobs = [defineJob({ name: 'idle', run: () => {} })]
      const evertick = await Evertick.openWith(
        { database: `sqlite:${path}`, jobs },
        {
          wrap: (store) =>
            new Proxy(store, {
              get(target, name) {
                const member: unknown = Reflect.get(target, name)
                if (typeof member !== 'function') return member
                return (...args: unknown[]): unknown => {
                  calls += 1
                  return (member as (...given: unknown[]) => unknown).apply(target, args)
                }
              },
            }),
        },
      )
      try {
        await evertick.start()
        await sleep(settleMs)
        calls = 0
        const before = process.cpuUsage()
        const startedAt = performance.now()
        await sleep(sampleMs)
        const minutes = (performance.now() - startedAt) / 60_000
        const { user, system } = process.cpuUsage(before)
        const cpu = (user + system) / 1_000 / minutes
        return [
          { name: 'idle node, share of a core', engine: 'sqlite', value: cpu / 600, unit: '%' },
          { name: 'idle node, store calls', engine: 'sqlite', value: calls / minutes, unit: '/min' },
        ]
      } finally {
        await evertick.stop()
      }
    })
  },
}

async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}
