/** Dice from a seed: the same seed throws the same numbers on every machine. */
import { stableHash } from '../../../src/core/stable-hash.ts'

export class Random {
  readonly #seed: string
  #state: number

  constructor(seed: string) {
    this.#seed = seed
    this.#state = stableHash(seed)
  }

  /** Dice of their own: how often one part throws changes nothing for the others. */
  fork(name: string): Random {
    return new Random(`${this.#seed}/${name}`)
  }

  /** A number in [0, 1), by splitmix32. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0
    let mixed = this.#state ^ (this.#state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    mixed ^= mixed >>> 15
    return (mixed >>> 0) / 0x1_0000_0000
  }

  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability
  }

  /** Both ends included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.integer(0, choices.length - 1)] as T
  }

  weighted<T extends string>(weights: Readonly<Partial<Record<T, number>>>): T {
    const entries = Object.entries(weights) as [T, number][]
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [choice, weight] of entries) {
      left -= weight
      if (left < 0) return choice
    }
    return (entries.at(-1) as [T, number])[0]
  }

  fill(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length; index += 1) bytes[index] = Math.floor(this.next() * 256)
  }
}
