/**
 * The simulation finds what it is there to find: each planted bug, at its recorded seed unless the dice have changed. That
 * these seeds break nothing without a bug is shown by `npm test`, which plays all of them in its simulation.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SeedRunner } from '../campaign/seed-runner.ts'
import { plantedBugs } from './bugs.ts'
import { catchMode, readCatches } from './catches.ts'
import { patched } from './plant.ts'

const catches = readCatches()
/** What `npm test` plays without a bug, and the promise for each that is planted. */
const promised = 200

/** The first of these seeds that breaks one of the rules, or null. */
async function firstCatch(bug: string, these: readonly number[], rules: readonly string[]) {
  const runner = await SeedRunner.start(bug)
  try {
    for (const seed of these) {
      const { broken } = await runner.run({ seed, mode: catchMode })
      if (broken !== null && rules.includes(broken.rule)) return { seed, ...broken }
    }
    return null
  } finally {
    runner.end()
  }
}

/** Each bug needs a process of its own, and `npm test` is for machines of two cores: two lanes of them. */
const lanes: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()]

function queue<T>(index: number, work: () => Promise<T>): Promise<T> {
  const lane = index % lanes.length
  const result = (lanes[lane] ?? Promise.resolve()).then(work)
  // Its own test hears of a failure; the next in the lane need not.
  lanes[lane] = result.catch(() => null)
  return result
}

describe('every planted bug', () => {
  it.each(plantedBugs)('$name fits the source', ({ patches }) => {
    const sources = new Map<string, string>()
    for (const patch of patches) {
      const url = new URL(`../../../${patch.file}`, import.meta.url)
      const source = sources.get(patch.file) ?? readFileSync(url, 'utf8')
      sources.set(patch.file, patched(source, patch))
    }
    expect(sources.size).toBeGreaterThan(0)
  })

  it('has a recorded catch, by a rule that it breaks', () => {
    expect(catches.map(({ bug }) => bug)).toEqual(plantedBugs.map(({ name }) => name))
    for (const { name, rules: its } of plantedBugs)
      expect(its).toContain(catches.find(({ bug }) => bug === name)?.rule)
  })

  it('is caught by one of the seeds that are played without it, too', () => {
    expect(Math.max(...catches.map(({ seed }) => seed))).toBeLessThanOrEqual(promised)
  })
})

describe('the simulation', () => {
  type Found = ReturnType<typeof firstCatch>
  const caught = new Map<string, Found>()

  beforeAll(() => {
    for (const [index, bug] of plantedBugs.entries()) {
      const recorded = catches.filter((one) => one.bug === bug.name).map(({ seed }) => seed)
      // Where a change of the product has thrown the dice anew, one of the first must do.
      const these = [...recorded, ...Array.from({ length: promised }, (_, seed) => seed + 1)]
      caught.set(
        bug.name,
        queue(index, () => firstCatch(bug.name, these, bug.rules)),
      )
    }
  })

  afterAll(async () => {
    await Promise.all(lanes)
  })

  it.each(plantedBugs)('catches $name', { timeout: 180_000 }, async ({ name }) => {
    expect(await caught.get(name)).not.toBeNull()
  })
})
