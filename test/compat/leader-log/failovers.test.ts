/** Random failovers from seeds: what the document's rules lose, and that the coordinator's lose and double nothing. */
import { describe, expect, it } from 'vitest'
import { coordinator, literal, type Player } from './failover-players.ts'
import { keyOf, minute, second, t0, ticksBetween, World } from './failover-world.ts'
import { MortalProcess } from './mortal-process.ts'

const seeds = 300
/** For what needs no more: a leader that steps down and comes back all the time makes for long stories. */
const fewSeeds = 150
const failoversUntil = t0 + 40 * minute
/** One process that lives through the end has taken over by then. */
const calmUntil = failoversUntil + 10 * minute

interface Story {
  readonly ticks: number
  readonly lost: string[]
  readonly doubled: string[]
  readonly terms: number
}

type Play = (process: MortalProcess) => Player

async function story(seed: number, play: Play, { troubled = 0 } = {}): Promise<Story> {
  const world = new World(seed)
  for (const place of [0, 1]) void live(world, `node-${place}`, play, troubled)
  await world.passUntil(calmUntil)
  const begin = world.log.terms[0]?.start_time.getTime() ?? calmUntil
  const due = ticksBetween(begin + second, calmUntil - minute).map(keyOf)
  const pushed = new Map<string, number>()
  for (const key of world.queue) pushed.set(key, (pushed.get(key) ?? 0) + 1)
  return {
    ticks: due.length,
    lost: due.filter((key) => !pushed.has(key)),
    doubled: [...pushed].filter(([, times]) => times > 1).map(([key]) => key),
    terms: world.log.terms.length,
  }
}

/** One place in the cluster: a process, its end, a pause, the next process. The last one lives on. */
async function live(world: World, place: string, play: Play, troubled: number): Promise<void> {
  const pause = (ms: number) => world.clock.sleep(ms)
  await pause(world.between(0, 5 * second))
  for (let life = 1; world.clock.now() < failoversUntil; life += 1) {
    const process = new MortalProcess(`${place}/${life}`, world)
    process.troubled = troubled
    const player = play(process)
    await pause(world.between(20 * second, 9 * minute))
    if (world.clock.now() >= failoversUntil) {
      process.troubled = 0
      return
    }
    const end = world.random()
    if (end < 0.4) process.die()
    else if (end < 0.7) process.dieAtCall(Math.ceil(world.between(0, 6)))
    else void player.stop()
    await pause(world.between(second, 6 * minute))
    process.die()
  }
  play(new MortalProcess(`${place}/last`, world))
}

/** In how many of the stories something is lost. */
async function losses(play: Play, of: number): Promise<number> {
  let losing = 0
  for (let seed = 1; seed <= of; seed += 1) {
    const { lost } = await story(seed, play)
    if (lost.length > 0) losing += 1
  }
  return losing
}

describe('300 random failovers', () => {
  it('the document’s rules to the letter lose ticks in each of them', async () => {
    expect(await losses(literal, seeds)).toBe(seeds)
  }, 60_000)

  it('without the skipping they still do: the grace hides ticks', async () => {
    expect(await losses((process) => literal(process, { skips: false }), fewSeeds)).toBe(fewSeeds)
  }, 60_000)

  it('the coordinator loses none and doubles none', async () => {
    let [ticks, terms] = [0, 0]
    for (let seed = 1; seed <= seeds; seed += 1) {
      const found = await story(seed, coordinator)
      expect({ seed, lost: found.lost, doubled: found.doubled }).toEqual({ seed, lost: [], doubled: [] })
      ticks += found.ticks
      terms += found.terms
    }
    // The world is one in which something happens.
    expect(ticks).toBeGreaterThan(seeds * 200)
    expect(terms).toBeGreaterThan(seeds * 5)
  }, 60_000)

  it('nor where calls fail, with or without having done their work', async () => {
    for (let seed = 1; seed <= fewSeeds; seed += 1) {
      const { lost, doubled } = await story(seed, coordinator, { troubled: 0.03 })
      expect({ seed, lost, doubled }).toEqual({ seed, lost: [], doubled: [] })
    }
  }, 60_000)
})
