/**
 * The most of what an attempt was seen to use. A look may see less than the one before: a process that ends takes its
 * memory along, and its time where nobody waited for it.
 */
import type { Usage } from '../core/attempt/usage.ts'

/** What one look sees, since whatever is looked at began. */
export interface Seen {
  readonly memory: number
  readonly cpuMs: number | null
  readonly peaks?: ReadonlyMap<number, number>
}

export class UsageMeter {
  /** What was there before the attempt: a child that is kept warm has worked for others. */
  readonly #before: Pick<Seen, 'cpuMs' | 'peaks'>
  #peak: number | null = null
  #cpuMs: number | null = null

  constructor(before: Pick<Seen, 'cpuMs' | 'peaks'> = { cpuMs: 0 }) {
    this.#before = before
  }

  see(seen: Seen): void {
    const memory = Math.max(seen.memory, ...this.#ownPeaks(seen))
    // What has ended, and is not yet cleared away, has none.
    if (memory > 0) this.#peak = Math.max(this.#peak ?? 0, memory)
    if (seen.cpuMs !== null) this.#cpuMs = Math.max(this.#cpuMs ?? 0, this.cpuSince(seen.cpuMs))
  }

  /** Of the attempt alone. */
  cpuSince(cpuMs: number): number {
    return cpuMs - (this.#before.cpuMs ?? 0)
  }

  get usage(): Usage | null {
    if (this.#peak === null && this.#cpuMs === null) return null
    return { peakMemoryBytes: this.#peak, cpuMs: this.#cpuMs === null ? null : Math.round(this.#cpuMs) }
  }

  /** Without those that stem from before the attempt. */
  #ownPeaks({ peaks = new Map<number, number>() }: Seen): number[] {
    return [...peaks].flatMap(([pid, bytes]) => (bytes > (this.#before.peaks?.get(pid) ?? 0) ? bytes : []))
  }
}
