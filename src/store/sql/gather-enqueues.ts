/** Enqueues of the same turn share one write: fifty callers cost little more than one. */
import type { Enqueued, NewExecution } from '../store.ts'

interface Gathered {
  readonly rows: readonly NewExecution[]
  readonly resolve: (made: Enqueued[]) => void
  readonly reject: (error: unknown) => void
}

export class EnqueueGatherer {
  readonly #write: (rows: readonly NewExecution[]) => Promise<Enqueued[]>
  #gathered: Gathered[] = []

  constructor(write: (rows: readonly NewExecution[]) => Promise<Enqueued[]>) {
    this.#write = write
  }

  async add(rows: readonly NewExecution[]): Promise<Enqueued[]> {
    return await new Promise((resolve, reject) => {
      if (this.#gathered.length === 0) queueMicrotask(() => void this.#flush())
      this.#gathered.push({ rows, resolve, reject })
    })
  }

  async #flush(): Promise<void> {
    const gathered = this.#gathered
    this.#gathered = []
    try {
      const made = await this.#write(gathered.flatMap(({ rows }) => rows))
      let from = 0
      for (const { rows, resolve } of gathered) {
        resolve(made.slice(from, from + rows.length))
        from += rows.length
      }
    } catch (error) {
      // One of them was refused, and with it all: each alone finds out which.
      if (gathered.length === 1) gathered[0]?.reject(error)
      else for (const { rows, resolve, reject } of gathered) this.#write(rows).then(resolve, reject)
    }
  }
}
