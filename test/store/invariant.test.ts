import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aHistory, History } from './history.ts'
import { Invariants } from './invariants.ts'
import { openMemory } from './sqlite-store.ts'

const numRuns = Number(process.env['EVERTICK_HISTORIES'] ?? 80)
const seed = Number(process.env['EVERTICK_SEED'] ?? 20_270_104)

test('every due tick is accounted exactly once, whatever happens in whatever order', {
  timeout: 3_600_000,
}, async () => {
  let stepsTaken = 0
  await fc.assert(
    fc.asyncProperty(aHistory, async ({ specs, steps }) => {
      const bench = await openMemory()
      try {
        const history = new History(bench)
        const invariants = new Invariants(history)
        await history.begin(specs)
        await invariants.begin()
        for (const step of steps) {
          await history.take(step)
          await invariants.check(step)
          stepsTaken += 1
        }
        await history.drain()
        await invariants.checkDrained()
      } finally {
        await bench.close()
      }
    }),
    { numRuns, seed },
  )
  expect(stepsTaken).toBeGreaterThan(numRuns)
})
