/** The explorer as tests: a fixed share by default, all of it in parts, or the one interleaving that is asked for. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Random } from '../simulation/world/random.ts'
import type { StoreUnderTest } from '../store/conformance/store-under-test.ts'
import type { ServerUnderTest } from '../store/races/race.ts'
import { Explorer } from './explorer.ts'
import { found } from './found.ts'
import { type Interleaving, type Pair, parseInterleaving } from './interleaving.ts'
import { sceneNames } from './scenes.ts'
import type { ExploredServer } from './server.ts'

export interface Explored {
  readonly file: ServerUnderTest & { close(): Promise<void> }
  readonly server: ExploredServer
}

/** How much of what there is. A pair that has more interleavings than its share has some drawn by a seed. */
interface Share {
  readonly pairs: (all: readonly Pair[]) => readonly Pair[]
  readonly eachAtMost: number
}

/** Of `npm test`: always the same. */
const fixedShare: Share = { pairs: (all) => drawn(all, 12, 'pairs'), eachAtMost: 3 }
const campaignAtMost = 400
const longestMs = 3_600_000

/** Empty, `3/40` for a part of all, a verb for all its pairs, or the name of one interleaving, as a failure prints it. */
const asked = process.env['EVERTICK_EXPLORE'] ?? ''

export function describeExplorer(name: string, open: () => Promise<Explored>, { skip = false } = {}): void {
  describe.skipIf(skip)(`every interleaving: ${name}`, () => {
    let explored: Explored
    let bench: StoreUnderTest
    let explorer: Explorer
    beforeAll(async () => {
      explored = await open()
      bench = await explored.file.open()
      explorer = new Explorer(explored.server, bench.store)
      await explorer.open()
    }, 120_000)
    afterAll(async () => {
      await explorer?.close()
      await explored?.server.close()
      await bench?.close()
      await explored?.file.close()
    })

    const one = parseInterleaving(asked)
    const share = asked === '' ? fixedShare : shareOf(asked)
    test.skipIf(one !== null).each(sceneNames)(
      'two at once are one after the other: %s',
      { timeout: longestMs },
      async (scene) => {
        const all = explorer.pairs().filter((pair) => pair.scene === scene)
        const sum = { pairs: 0, played: 0, of: 0 }
        const faults: string[] = []
        for (const pair of share.pairs(all)) {
          const { played, of, fault } = await explorer.explore(pair, (schedules) =>
            drawn(schedules, share.eachAtMost, `${scene} ${pair.A} ${pair.B}`),
          )
          sum.pairs += 1
          sum.played += played
          sum.of += of
          if (fault !== null) faults.push(fault)
        }
        const covered = `${sum.pairs} of ${all.length} pairs, ${sum.played} of their ${sum.of} interleavings`
        process.stdout.write(`${name}, ${scene}: ${covered}\n`)
        expect(faults.join('\n\n')).toBe('')
      },
    )

    const named: [string, string][] = one === null ? Object.entries(found) : [['as asked for', asked]]
    test.each(named)('%s', async (_, interleaving) => {
      const { pair, schedule } = parseInterleaving(interleaving) as Interleaving
      const { fault } = await explorer.explore(pair, () => [schedule])
      expect(fault ?? '').toBe('')
    })
  })
}

function shareOf(text: string): Share {
  const [, part, parts] = /^(\d+)\/(\d+)$/.exec(text) ?? []
  const isChosen = (pair: Pair, index: number) =>
    parts === undefined ? pair.A === text || pair.B === text : index % Number(parts) === Number(part) - 1
  return { pairs: (all) => all.filter(isChosen), eachAtMost: campaignAtMost }
}

/** Some of them, always the same. */
function drawn<T>(all: readonly T[], most: number, seed: string): readonly T[] {
  if (all.length <= most) return all
  const random = new Random(seed)
  const shuffled = all.map((one) => ({ one, at: random.next() })).toSorted((a, b) => a.at - b.at)
  return shuffled.slice(0, most).map(({ one }) => one)
}
