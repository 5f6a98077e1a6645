/** The goals that compare with others, and whether the figures of a comparison reach them. */
import { type EngineName, engineLabels } from '../../engines/engine.ts'
import { type Bound, keeps } from '../../report/bound.ts'
import type { StoreName } from '../contender.ts'
import { type Entry, type Measured, measured } from './comparison.ts'
import { drainWay, enqueueWays, idleWay, tickWay } from './ways.ts'

interface Goal {
  readonly of: string
  readonly on: EngineName
  readonly rival: { readonly library: string; readonly store: StoreName | 'none'; readonly of?: string }
  /** Of ours to theirs. */
  readonly ratio: Bound
}

export interface Verdict {
  readonly goal: string
  readonly against: string
  /** Null where one of the two has no figure. */
  readonly ratio: number | null
  readonly reached: boolean | null
}

const bullmq = { library: 'bullmq', store: 'redis' } as const
const graphile = { library: 'graphile-worker', store: 'postgres' } as const
const pgBoss = { library: 'pg-boss', store: 'postgres' } as const
const nodeCron = { library: 'node-cron', store: 'none' } as const
const cronerLatest = { library: 'croner', store: 'none', of: tickWay(10_000, 'max') } as const
const raw = (store: EngineName) => ({ library: 'raw', store })
const lateTicks = tickWay(10_000, 'p99')

export const goals: readonly Goal[] = [
  { of: drainWay, on: 'postgres', rival: graphile, ratio: { atLeast: 1.2 } },
  { of: drainWay, on: 'postgres', rival: bullmq, ratio: { atLeast: 6 } },
  { of: drainWay, on: 'postgres', rival: raw('postgres'), ratio: { atLeast: 0.75 } },
  { of: drainWay, on: 'mysql', rival: raw('mysql'), ratio: { atLeast: 0.7 } },
  { of: drainWay, on: 'sqlite', rival: bullmq, ratio: { atLeast: 8 } },
  { of: enqueueWays.callers, on: 'postgres', rival: pgBoss, ratio: { atLeast: 30 } },
  { of: enqueueWays.callers, on: 'postgres', rival: graphile, ratio: { atLeast: 30 } },
  { of: enqueueWays.callers, on: 'postgres', rival: bullmq, ratio: { atLeast: 2.5 } },
  { of: enqueueWays.oneByOne, on: 'postgres', rival: raw('postgres'), ratio: { atLeast: 0.9 } },
  { of: idleWay, on: 'postgres', rival: graphile, ratio: { atMost: 0.6 } },
  { of: idleWay, on: 'sqlite', rival: bullmq, ratio: { atMost: 1 } },
  { of: lateTicks, on: 'sqlite', rival: nodeCron, ratio: { atMost: 0.2 } },
  { of: lateTicks, on: 'postgres', rival: nodeCron, ratio: { atMost: 0.2 } },
  { of: lateTicks, on: 'mysql', rival: nodeCron, ratio: { atMost: 0.2 } },
  { of: lateTicks, on: 'postgres', rival: cronerLatest, ratio: { atMost: 1 / 40 } },
  { of: lateTicks, on: 'sqlite', rival: cronerLatest, ratio: { atMost: 1 / 40 } },
  { of: lateTicks, on: 'mysql', rival: cronerLatest, ratio: { atMost: 1 / 20 } },
]

export function verdicts(entries: readonly Entry[]): Verdict[] {
  const all = measured(entries)
  return goals.map(({ of, on, rival, ratio: bound }) => {
    const ours = all.find((entry) => entry.library === 'evertick' && entry.store === on && entry.of === of)
    const theirs = fastest(
      all.filter(
        ({ library, store, of: way }) =>
          library === rival.library && store === rival.store && way === (rival.of ?? of),
      ),
    )
    const goal = `${engineLabels[on]}: ${of} ${boundText(bound)}`
    const against = `${theirs?.who ?? rival.library}${rival.of === undefined ? '' : `: ${rival.of}`}`
    if (ours === undefined || theirs === undefined) return { goal, against, ratio: null, reached: null }
    const ratio = ours.value / theirs.value
    return { goal, against, ratio, reached: keeps(bound, ratio) }
  })
}

/** A goal is measured at a peer's best configuration on that store, whichever it was in this run. */
function fastest(entries: readonly Measured[]): Measured | undefined {
  const [best] = entries.toSorted((a, b) => (a.better === 'more' ? b.value - a.value : a.value - b.value))
  return best
}

function boundText(bound: Bound): string {
  if ('atLeast' in bound) return `>= ${bound.atLeast}x`
  return bound.atMost < 0.1 ? `<= 1/${Math.round(1 / bound.atMost)}` : `<= ${bound.atMost}x`
}
