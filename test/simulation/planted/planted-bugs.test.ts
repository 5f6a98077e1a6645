/** The simulation finds what it is there to find: each planted bug at its recorded seed, and nothing without one. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SeedResult, SeedRunner } from '../campaign/seed-runner.ts'
import { plantedBugs } from './bugs.ts'
import { catchMode, readCatches } from './catches.ts'
import { patched } from './plant.ts'

const catches = readCatches()
const seeds = [...new Set(catches.map(({ seed }) => seed))]

async function replay(bug: string | null, ...these: number[]): Promise<SeedResult[]> {
  const runner = await SeedRunner.start(bug)
  try {
    const results: SeedResult[] = []
    for (const seed of these) results.push(await runner.run({ seed, mode: catchMode }))
    return results
  } finally {
    runner.end()
  }
}

/** Each bug needs a process of its own, and `npm test` is for machines of two cores: two lanes of them. */
const lanes: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()]

function queue(index: number, bug: string | null, ...these: number[]): Promise<SeedResult[]> {
  const lane = index % lanes.length
  const results = (lanes[lane] ?? Promise.resolve()).then(() => replay(bug, ...these))
  // Its own test hears of a failure; the next in the lane need not.
  lanes[lane] = results.catch(() => [])
  return results
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
    for (const { name, rules } of plantedBugs)
      expect(rules).toContain(catches.find(({ bug }) => bug === name)?.rule)
  })
})

describe('the simulation', () => {
  const clean: Promise<SeedResult[]>[] = []
  const caught = new Map<string, Promise<SeedResult[]>>()

  beforeAll(() => {
    for (const lane of lanes.keys()) {
      const its = seeds.filter((_, index) => index % lanes.length === lane)
      clean.push(queue(lane, null, ...its))
    }
    for (const [index, { bug, seed }] of catches.entries()) caught.set(bug, queue(index, bug, seed))
  })

  afterAll(async () => {
    await Promise.all(lanes)
  })

  it('finds nothing at the recorded seeds where no bug is planted', async () => {
    const results = (await Promise.all(clean)).flat()
    expect(new Set(results.map(({ seed }) => seed))).toEqual(new Set(seeds))
    expect(results.filter(({ broken }) => broken !== null)).toEqual([])
  })

  it.each(catches)('catches $bug at seed $seed: $rule', async ({ bug, rule }) => {
    const [result] = (await caught.get(bug)) ?? []
    expect(result?.broken?.rule).toBe(rule)
  })
})
