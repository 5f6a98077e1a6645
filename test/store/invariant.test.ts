import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aHistory } from './history.ts'
import { live } from './live.ts'
import { openMemory } from './sqlite-store.ts'

const numRuns = Number(process.env['EVERTICK_HISTORIES'] ?? 40)
const seed = Number(process.env['EVERTICK_SEED'] ?? 20_270_104)

test('every due tick is accounted exactly once, whatever happens in whatever order', {
  timeout: 3_600_000,
}, async () => {
  let stepsTaken = 0
  await fc.assert(
    fc.asyncProperty(aHistory, async (history) => {
      const bench = await openMemory()
      try {
        await live(bench, history)
        stepsTaken += history.steps.length
      } finally {
        await bench.close()
      }
    }),
    { numRuns, seed },
  )
  expect(stepsTaken).toBeGreaterThan(numRuns)
})
