/**
 * Calls share a script: those of one turn always, and where only so many are worth having under way, also those that come
 * while these last. Fifty callers that enqueue, or requests on fifty sockets, then cost little more than one.
 */
import { EvertickError } from '../../../core/error.ts'

interface Gathered<Item, Answer> {
  readonly items: readonly Item[]
  readonly resolve: (answers: Answer[]) => void
  readonly reject: (error: unknown) => void
}

/** One script must not keep the others waiting for long. */
const largestRun = 1_000

export class Gatherer<Item, Answer> {
  readonly #run: (items: readonly Item[]) => Promise<Answer[]>
  readonly #atOnce: number
  #gathered: Gathered<Item, Answer>[] = []
  #called = false
  #underWay = 0

  /** Answers in the order of the items. */
  constructor(run: (items: readonly Item[]) => Promise<Answer[]>, atOnce: number) {
    this.#run = run
    this.#atOnce = atOnce
  }

  async add(items: readonly Item[]): Promise<Answer[]> {
    return await new Promise((resolve, reject) => {
      this.#gathered.push({ items, resolve, reject })
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
    await this.#runTogether(gathered)
    this.#underWay -= 1
    this.#call()
  }

  /** In the order in which they came, and never less than one: what one caller asks for stays together. */
  #next(): Gathered<Item, Answer>[] {
    let count = 0
    let size = 0
    for (const { items } of this.#gathered) {
      size += items.length
      if (count > 0 && size > largestRun) break
      count += 1
    }
    return this.#gathered.splice(0, count)
  }

  async #runTogether(gathered: readonly Gathered<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.#run(gathered.flatMap(({ items }) => items))
      let from = 0
      for (const { items, resolve } of gathered) {
        resolve(answers.slice(from, from + items.length))
        from += items.length
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
        this.#runTogether(gathered.slice(0, middle)),
        this.#runTogether(gathered.slice(middle)),
      ])
    }
  }
}
