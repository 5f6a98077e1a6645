/**
 * Enqueues share writes: those of one turn always, and where only so many writes are worth having under way, also those
 * that come while these last. Fifty callers, or requests on fifty sockets, then cost little more than one.
 */
import { EvertickError } from '../../../core/error.ts'
import type { Enqueued, NewExecution } from '../../store.ts'

interface Gathered {
  readonly rows: readonly NewExecution[]
  readonly resolve: (made: Enqueued[]) => void
  readonly reject: (error: unknown) => void
}

/** One write must not keep the others waiting for long. */
const largestWrite = 1_000

export class EnqueueGatherer {
  readonly #write: (rows: readonly NewExecution[]) => Promise<Enqueued[]>
  readonly #atOnce: number
  #gathered: Gathered[] = []
  #called = false
  #underWay = 0

  constructor(write: (rows: readonly NewExecution[]) => Promise<Enqueued[]>, atOnce: number) {
    this.#write = write
    this.#atOnce = atOnce
  }

  async add(rows: readonly NewExecution[]): Promise<Enqueued[]> {
    return await new Promise((resolve, reject) => {
      this.#gathered.push({ rows, resolve, reject })
      this.#call()
    })
  }

  #call(): void {
    if (this.#called || this.#gathered.length === 0 || this.#underWay >= this.#atOnce) return
    this.#called = true
    queueMicrotask(() => void this.#flush())
  }

  async #flush(): Promise<void> {
    const gathered = this.#next()
    this.#called = false
    this.#underWay += 1
    this.#call()
    await this.#writeTogether(gathered)
    this.#underWay -= 1
    this.#call()
  }

  /** In the order in which they came, and never less than one: what one caller asks for stays together. */
  #next(): Gathered[] {
    let count = 0
    let size = 0
    for (const { rows } of this.#gathered) {
      size += rows.length
      if (count > 0 && size > largestWrite) break
      count += 1
    }
    return this.#gathered.splice(0, count)
  }

  async #writeTogether(gathered: readonly Gathered[]): Promise<void> {
    try {
      const made = await this.#write(gathered.flatMap(({ rows }) => rows))
      let from = 0
      for (const { rows, resolve } of gathered) {
        resolve(made.slice(from, from + rows.length))
        from += rows.length
      }
    } catch (error) {
      const isGone = error instanceof EvertickError && error.kind === 'unavailable'
      if (gathered.length === 1 || isGone) {
        for (const { reject } of gathered) reject(error)
        return
      }
      // One of them was refused, and with it all: by halves, few who ask for the impossible cost the others little.
      const middle = Math.ceil(gathered.length / 2)
      await Promise.all([
        this.#writeTogether(gathered.slice(0, middle)),
        this.#writeTogether(gathered.slice(middle)),
      ])
    }
  }
}
