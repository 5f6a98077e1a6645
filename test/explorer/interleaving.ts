/** An interleaving and its name: `work: pause | claim all @ A4 B2` is four steps of A, two of B, the rest of A, the rest of B. */
import type { Name, Schedule } from './conductor.ts'

export interface Pair extends Readonly<Record<Name, string>> {
  readonly scene: string
}

export interface Interleaving {
  readonly pair: Pair
  readonly schedule: Schedule
}

export function nameOf({ scene, A, B }: Pair, { first, steps, otherSteps }: Schedule): string {
  return `${scene}: ${A} | ${B} @ ${first}${steps} ${first === 'A' ? 'B' : 'A'}${otherSteps}`
}

export function parseInterleaving(text: string): Interleaving | null {
  const [, scene = '', A = '', B = '', first, steps, otherSteps] =
    /^(\w+): (.+) \| (.+) @ ([AB])(\d+) [AB](\d+)$/.exec(text) ?? []
  if (first !== 'A' && first !== 'B') return null
  return {
    pair: { scene, A, B },
    schedule: { first, steps: Number(steps), otherSteps: Number(otherSteps) },
  }
}

/** Every schedule with one or two preemptions. Of a verb beside itself, those that begin with B are the same again. */
export function schedulesOf(steps: Readonly<Record<Name, number>>, { A, B }: Pair): Schedule[] {
  const from = (first: Name, own: number, others: number) =>
    upTo(own - 1).flatMap((steps) => upTo(others).map((otherSteps) => ({ first, steps, otherSteps })))
  return [...from('A', steps.A, steps.B), ...(A === B ? [] : from('B', steps.B, steps.A))]
}

function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}
