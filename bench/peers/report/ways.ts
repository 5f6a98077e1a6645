/** What is compared, by the words that stand in the figures: the measures take them, the goals and the page look them up. */

export const callers = 50
export const bulk = 1_000
export const drainConcurrency = 50

export const enqueueWays = {
  oneByOne: 'enqueue one by one',
  callers: `enqueue by ${callers} callers`,
  bulk: `enqueue in bulk of ${bulk.toLocaleString('en')}`,
} as const
export const drainWay = `drain, concurrency ${drainConcurrency}`
export const idleWay = 'idle start, p50'

export const shares = [
  ['p50', 0.5],
  ['p99', 0.99],
  ['max', 1],
] as const
export type Share = (typeof shares)[number][0]

/** The number of ticks in a way of `tickWay`; null for every other. */
export function ticksOf(way: string): number | null {
  const digits = /^([\d,]+) ticks at one instant, late, /.exec(way)?.[1]
  return digits === undefined ? null : Number(digits.replaceAll(',', ''))
}

export function tickWay(ticks: number, share: Share): string {
  return `${ticks.toLocaleString('en')} ticks at one instant, late, ${share}`
}
