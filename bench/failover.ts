/** The leader's process ends, by force or in order, or falls silent: how long until another node leads, and until it accounts for a tick. */
import type { EvertickOptions } from '../src/index.ts'
import { withNodes } from './child-node.ts'
import { type Engine, engineNames } from './engines/engine.ts'
import { type EngineMeasure, type Figure, quantile, sleep, spread } from './measure.ts'
import { withEvertick } from './scratch-database.ts'

interface Way {
  readonly name: string
  /** SIGSTOP: it does not end, and its connections stay open, as if its host had vanished. */
  readonly signal: 'SIGKILL' | 'SIGSTOP' | 'SIGTERM'
  readonly leader: NonNullable<EvertickOptions['leader']>
  /** The rounds end their leaders evenly spread over one heartbeat. */
  readonly heartbeatMs: number
  readonly rounds: number
  readonly promiseMs: number
}

const ways: readonly Way[] = [
  {
    name: 'leader killed, default leases',
    signal: 'SIGKILL',
    leader: {},
    heartbeatMs: 3_000,
    rounds: 10,
    promiseMs: 2_000,
  },
  {
    name: 'leader silent, default leases',
    signal: 'SIGSTOP',
    leader: {},
    heartbeatMs: 3_000,
    rounds: 4,
    promiseMs: 15_000,
  },
  {
    name: 'leader killed, lease 1 s',
    signal: 'SIGKILL',
    leader: { lease: '1s', heartbeat: '300ms' },
    heartbeatMs: 300,
    rounds: 6,
    promiseMs: 3_000,
  },
  {
    name: 'leader stopped in order',
    signal: 'SIGTERM',
    leader: {},
    heartbeatMs: 3_000,
    rounds: 6,
    promiseMs: 1_000,
  },
]

interface Failover {
  readonly electedMs: number
  readonly accountedMs: number
}

async function failOver(engine: Engine, way: Way, round: number): Promise<Failover> {
  return await withEvertick(engine, {}, async (evertick, { url }) =>
    withNodes(async (start) => {
      const { leader } = way
      const first = await start({ database: url, leader })
      await evertick.jobs.create({ name: 'tick', handler: 'quiet', schedule: { every: '1s' } })
      await first.next('accounted')
      const second = await start({ database: url, leader })
      await sleep(way.heartbeatMs * (1 + round / way.rounds))
      const elected = second.next('elected')
      const accounted = second.next('accounted')
      const endedAt = first.end(way.signal)
      const found = { electedMs: (await elected).at - endedAt, accountedMs: (await accounted).at - endedAt }
      // One that only stands still would not hear of the end.
      first.end('SIGKILL')
      return found
    }),
  )
}

export const failover: EngineMeasure = {
  name: 'failover',
  on: engineNames,
  async run({ engine, say }) {
    const results: Figure[] = []
    for (const way of ways) {
      say(way.name)
      const found: Failover[] = []
      for (let round = 0; round < way.rounds; round += 1) {
        const one = await failOver(engine, way, round)
        found.push(one)
        say(`  round ${round + 1} of ${way.rounds}: a term after ${Math.round(one.electedMs)} ms`)
      }
      const elected = found.map(({ electedMs }) => electedMs)
      const accounted = found.map(({ accountedMs }) => accountedMs)
      const longest = { unit: 'ms', value: quantile(elected, 1), spread: spread(elected) }
      results.push(
        {
          ...longest,
          name: `${way.name}: next term, longest of ${way.rounds}`,
          against: `the promised ${way.promiseMs / 1_000} s`,
          ratio: longest.value / way.promiseMs,
        },
        {
          name: `${way.name}: next tick accounted, longest of ${way.rounds}`,
          unit: 'ms',
          value: quantile(accounted, 1),
          spread: spread(accounted),
        },
      )
    }
    return results
  },
}
