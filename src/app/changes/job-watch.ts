/** Which jobs were changed since the last look, by whatever node. */
import type { Store } from '../../store/store.ts'
import type { Hint } from './hint.ts'

/** A change becomes visible some time after the instant that it bears: so far back every look reads again. */
const lateMs = 5_000

export class JobWatch {
  /** The changes of the last while, by job. */
  readonly #seen = new Map<string, number>()
  #since: number | null = null

  /** The first look only learns how things are. */
  async look(store: Store): Promise<Hint[]> {
    const first = this.#since === null
    const since = this.#since ?? 0
    const marks = await store.jobs.jobsChangedSince(since - lateMs)
    const changed = marks.filter(({ id, updatedAt }) => this.#seen.get(id) !== updatedAt)
    const newest = marks.reduce((last, { updatedAt }) => Math.max(last, updatedAt), since)
    this.#since = newest
    this.#seen.clear()
    for (const { id, updatedAt } of marks) if (updatedAt >= newest - lateMs) this.#seen.set(id, updatedAt)
    return first ? [] : changed.map(({ id, name, deleted }) => ({ type: 'job', id, job: name, deleted }))
  }
}
