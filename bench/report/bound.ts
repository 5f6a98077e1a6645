/** What a goal demands of a figure, or of its ratio to another. */
export type Bound = { readonly atLeast: number } | { readonly atMost: number }

export function keeps(bound: Bound, value: number): boolean {
  return 'atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost
}

/** The one that is furthest from what is demanded. */
export function worst(bound: Bound, values: readonly number[]): number {
  return 'atLeast' in bound ? Math.min(...values) : Math.max(...values)
}
