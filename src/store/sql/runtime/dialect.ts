/** How an engine spells the portable steps of a script, and what its driver's errors mean. */
import type { Step } from './script.ts'

export interface Spelled {
  readonly text: string
  readonly params: readonly unknown[]
}

export interface Dialect {
  /** One statement for nearly every step; none where a step has nothing to do here. */
  spell(step: Step): readonly Spelled[]
  /** A tagged template with the engine's own marks between its strings. */
  template(strings: readonly string[]): string
}
