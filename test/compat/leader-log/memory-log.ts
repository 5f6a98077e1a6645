/** A leader log as a user might keep it: any model works, this one is an array. */
import type { FindOptions, LeaderTerm, SchedulerLeaderLogModel } from '../../../src/index.ts'

export class MemoryLog implements SchedulerLeaderLogModel {
  readonly terms: LeaderTerm[] = []

  insert(data: Partial<LeaderTerm>): Promise<LeaderTerm> {
    const term = { id: this.terms.length + 1, stop_time: null, last_heartbeat: null, ...data } as LeaderTerm
    this.terms.push(term)
    return Promise.resolve({ ...term })
  }

  update(criteria: Partial<LeaderTerm>, data: Partial<LeaderTerm>): Promise<void> {
    for (const term of this.#matching(criteria)) Object.assign(term, data)
    return Promise.resolve()
  }

  findOne(criteria: Partial<LeaderTerm>): Promise<LeaderTerm | null> {
    return Promise.resolve(this.#matching(criteria)[0] ?? null)
  }

  find(criteria: Partial<LeaderTerm>, { orderBy = [], limit }: FindOptions = {}): Promise<LeaderTerm[]> {
    const sorted = this.#matching(criteria).toSorted((a, b) => {
      for (const { column, order } of orderBy) {
        const by = Number(a[column as keyof LeaderTerm]) - Number(b[column as keyof LeaderTerm])
        if (by !== 0) return order === 'asc' ? by : -by
      }
      return 0
    })
    return Promise.resolve(sorted.slice(0, limit).map((term) => ({ ...term })))
  }

  #matching(criteria: Partial<LeaderTerm>): LeaderTerm[] {
    const wanted = Object.entries(criteria) as [keyof LeaderTerm, unknown][]
    return this.terms.filter((term) => wanted.every(([column, value]) => term[column] === value))
  }
}
