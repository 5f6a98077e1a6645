/**
 * The rival of gathered enqueues: each request is a transaction of its own, on one of `lanes` connections, as a program
 * with a pool would do it. Everything else of the server stays the same.
 */
import { newId } from '../../src/app/ids.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Enqueued, NewExecution, Store } from '../../src/store/store.ts'

export async function oneCommitEach(database: string, lanes: number): Promise<(store: Store) => Store> {
  const opened = Array.from({ length: lanes }, () => openStore(database, { newId, tzVersion: 'bench' }))
  const free = (await Promise.all(opened)).map(({ store }) => store)
  const waiting: ((store: Store) => void)[] = []

  async function enqueueExecutions(rows: readonly NewExecution[]): Promise<Enqueued[]> {
    const store = free.pop() ?? (await new Promise<Store>((resolve) => waiting.push(resolve)))
    try {
      return await store.work.enqueueExecutions(rows)
    } finally {
      const next = waiting.shift()
      if (next === undefined) free.push(store)
      else next(store)
    }
  }
  return (store) => ({ ...store, work: { ...store.work, enqueueExecutions } })
}
