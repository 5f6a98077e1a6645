/** A small seeded generator (mulberry32): a failing case is named by its seed and replayed from it. */
export interface SeededRandom {
  /** A whole number in `[0, below)`. */
  below(below: number): number
  between(from: number, to: number): number
  chance(probability: number): boolean
  pick<T>(values: readonly T[]): T
}

export function seededRandom(seed: number): SeededRandom {
  let state = (seed * 0x9e3779b1) >>> 0
  const unit = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(unit() * limit)
  return {
    below,
    between: (from, to) => from + below(to - from + 1),
    chance: (probability) => unit() < probability,
    pick: (values) => values[below(values.length)] as (typeof values)[number],
  }
}
