/** Conditions of a query. */
import { number, text } from './rows.ts'
import type { Param, Row } from './script.ts'

/** Optional conditions. They are left out rather than null: on PostgreSQL a null parameter has no type. */
export class Where {
  text: string
  readonly params: Param[] = []

  constructor(first: string) {
    this.text = first
  }

  and(condition: string, ...params: Param[]): void {
    this.text += ` AND ${condition}`
    this.params.push(...params)
  }
}

export function likeText(search: string): string {
  return search.replaceAll(/[%_!]/g, (special) => `!${special}`)
}

/** Of rows with a state and a count `n`. */
export function countsOf(counted: readonly Row[]): Record<string, number> {
  return Object.fromEntries(counted.map(({ state, n }) => [text(state), number(n)]))
}
