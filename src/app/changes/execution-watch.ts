/** Remembers how executions were seen last, and says which have moved on since: of any node, and of this one only once. */
import { type ExecutionState, isFinal } from '../../core/execution/execution-state.ts'
import type { ExecutionMark, RecentQuery, Store } from '../../store/store.ts'
import type { Hint } from './hint.ts'

/** Unfinished ones that are looked after; and how many a look names at most. */
const mostWatched = 500

interface Seen {
  readonly mark: string
  readonly seq: number
  readonly final: boolean
}

export class ExecutionWatch {
  readonly #seen = new Map<string, Seen>()
  /** Told of by this node since the look that is under way began: what that look brings of them is old. */
  readonly #noted = new Set<string>()
  /** How new the newest was at the last look, and at the one before it. */
  #newest = 0
  #before = 0
  #first = true

  get size(): number {
    return this.#seen.size
  }

  /** An event of this node has told of it: the next look need not. */
  note(id: string, state: ExecutionState, attempt: number, progress: number | null = null): void {
    const known = this.#seen.get(id)
    if (known === undefined && this.#seen.size >= mostWatched * 2) return
    const mark = markOf({ state, attempt, progress })
    this.#noted.add(id)
    // Its place in the order is not known yet: it is kept until a look has found it.
    this.#seen.set(id, { mark, seq: known?.seq ?? Number.POSITIVE_INFINITY, final: isFinal(state) })
  }

  /** What has changed since the last look. The first look only learns how things are. */
  async look(store: Store): Promise<Hint[]> {
    this.#noted.clear()
    const { marks, more } = await store.executions.recentExecutions(this.#query())
    const news = marks.filter(({ id }) => !this.#noted.has(id))
    const changed = news.filter((mark) => this.#seen.get(mark.id)?.mark !== markOf(mark))
    const listed = new Set(marks.map(({ id }) => id))
    for (const id of this.#seen.keys()) if (!listed.has(id) && !this.#noted.has(id)) this.#seen.delete(id)
    for (const mark of news) {
      this.#seen.set(mark.id, { mark: markOf(mark), seq: mark.seq, final: isFinal(mark.state) })
    }
    const newest = marks.reduce((most, { seq }) => Math.max(most, seq), this.#newest)
    // Rows become visible in another order than they were numbered in: what is new is read for one look longer.
    this.#before = this.#first ? newest : this.#newest
    this.#newest = newest
    this.#forget()
    const hints: Hint[] = changed.map(({ id, job, state }) => ({ type: 'execution', id, job, state }))
    if (this.#first) hints.length = 0
    else if (more) hints.push({ type: 'executions', job: null })
    this.#first = false
    return hints
  }

  #query(): RecentQuery {
    const ids = [...this.#seen].filter(
      ([, { seq }]) => seq <= this.#before || seq === Number.POSITIVE_INFINITY,
    )
    return { afterSeq: this.#before, ids: ids.map(([id]) => id), limit: mostWatched }
  }

  /** What has ended long enough ago changes no more; of the others, the oldest go first. */
  #forget(): void {
    for (const [id, { final, seq }] of this.#seen) if (final && seq <= this.#before) this.#seen.delete(id)
    const over = this.#seen.size - mostWatched * 2
    if (over <= 0) return
    const oldest = [...this.#seen].toSorted(([, one], [, other]) => one.seq - other.seq).slice(0, over)
    for (const [id] of oldest) this.#seen.delete(id)
  }
}

function markOf({ state, attempt, progress }: Pick<ExecutionMark, 'state' | 'attempt' | 'progress'>): string {
  return `${state}:${attempt}:${state === 'running' ? (progress ?? '') : ''}`
}
