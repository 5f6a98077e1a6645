/** Jobs after jobs: two ends, two edges, or an end and whoever holds its child. */
import { expect, test } from 'vitest'
import type { JobSpec } from '../../../src/core/job/job.ts'
import { by, idOf, jobSpec } from '../builders.ts'
import { at, type ByHand } from '../by-hand.ts'
import { type ServerUnderTest, value, withRace } from './race.ts'

const plain = jobSpec({ schedule: null })

function after(...parents: readonly string[]): JobSpec {
  const own = parents.map((job) => ({ job, on: 'success' as const }))
  return jobSpec({ schedule: null, overlap: 'buffer_all', after: own })
}

/** b and c come after a, d after both; a has ended, and b and c run. */
async function diamond(hand: ByHand) {
  await hand.work()
  await hand.create('a', plain)
  for (const name of ['b', 'c']) await hand.create(name, after('a'))
  await hand.create('d', after('b', 'c'))
  await hand.trigger('a', 'root', at(1))
  await hand.finish(await hand.claimOne(at(1)), at(1))
  return await hand.claim(at(2))
}

export function describeDependencyRaces(server: () => ServerUnderTest): void {
  test(
    'of two parents that end at once the second sees the first, and one run comes after both',
    withRace(server, async (race) => {
      const [one, other] = await diamond(race.hand)
      if (one === undefined || other === undefined) throw new Error('b and c do not run')
      const { first, second, waited } = await race.both(
        async (_, slow) => await slow.finish(one, at(3)),
        async (_, fast) => await fast.finish(other, at(3)),
      )
      expect([value(first).refused, value(second).refused, waited]).toEqual([[], [], true])
      expect(await race.hand.executions('d')).toMatchObject([{ state: 'pending', rootId: idOf('root') }])
    }),
  )

  test(
    'an end does not wait for whoever holds its child, and the run is placed afterwards',
    withRace(server, async (race) => {
      const [one, other] = await diamond(race.hand)
      if (one === undefined || other === undefined) throw new Error('b and c do not run')
      await race.hand.finish(one, at(3))
      const { first, second, waited } = await race.both(
        async (_, slow) =>
          await slow.change('d', { kind: 'edit', spec: { ...after('b', 'c'), priority: 5 } }, at(4)),
        async (_, fast) => await fast.finish(other, at(4)),
      )
      expect([value(first).name, value(second).refused, waited]).toEqual(['d', [], false])
      expect(await race.hand.executions('d')).toMatchObject([{ state: 'blocked' }])
      await race.store.dependencies.closeJoins(at(5), 100)
      expect(await race.hand.executions('d')).toMatchObject([{ state: 'pending' }])
    }),
  )

  test(
    'two edges that would close a circle together: one is refused',
    withRace(server, async (race) => {
      for (const name of ['x', 'y']) await race.hand.create(name, plain)
      const { first, second, waited } = await race.both(
        async (slow) => await slow.jobs.changeJob('x', { kind: 'edit', spec: after('y') }, by(at(1))),
        async (fast) => await fast.jobs.changeJob('y', { kind: 'edit', spec: after('x') }, by(at(1))),
      )
      expect([first.status, second.status, waited]).toEqual(['fulfilled', 'rejected', true])
    }),
  )
}
