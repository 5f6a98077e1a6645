/** What a campaign came to. */
import type { Mode } from '../plan/plan.ts'
import type { Tally } from '../world/tally.ts'
import type { Broken } from './escapes.ts'
import type { SeedResult } from './seed-runner.ts'

export interface BrokenSeed extends Broken {
  readonly seed: number
}

/** The numbers that a seed's tally gives. */
const counts = [
  'ticks',
  'attempts',
  'steps',
  'repeated',
  'crashes',
  'failovers',
  'refused',
  'faults',
] as const satisfies readonly (keyof Tally)[]
type Count = (typeof counts)[number]

export class Totals {
  readonly mode: Mode
  readonly from: number
  readonly sums = Object.fromEntries(counts.map((count) => [count, 0])) as Record<Count, number>
  seeds = 0
  virtualMs = 0
  readonly #broken: BrokenSeed[] = []

  constructor(mode: Mode, from: number) {
    this.mode = mode
    this.from = from
  }

  add({ seed, broken, tally }: SeedResult): void {
    this.seeds += 1
    this.virtualMs += tally.virtualMs
    for (const count of counts) this.sums[count] += tally[count]
    if (broken !== null) this.#broken.push({ seed, ...broken })
  }

  /** By seed: in which order they came, is the machine's doing. */
  get broken(): readonly BrokenSeed[] {
    return this.#broken.toSorted((a, b) => a.seed - b.seed)
  }

  get violations(): number {
    return this.#broken.length
  }

  get virtualHours(): number {
    return Math.round((this.virtualMs / 3_600_000) * 100) / 100
  }
}
