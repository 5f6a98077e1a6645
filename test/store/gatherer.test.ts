/** Enqueues that come one by one, each in its own turn, share writes; and whoever is refused is refused alone. */
import { expect, test } from 'vitest'
import { EvertickError } from '../../src/core/error.ts'
import { Gatherer } from '../../src/store/sql/runtime/gatherer.ts'
import type { Enqueued, NewExecution } from '../../src/store/store.ts'
import { idOf, nameOf, newExecution } from './builders.ts'

/** Writes that last until they are told to end; one that has something wrong in it is refused whole. */
class Writes {
  readonly batches: string[][] = []
  readonly #open: (() => void)[] = []
  readonly #error: (id: string) => EvertickError | null

  constructor(error: (id: string) => EvertickError | null = () => null) {
    this.#error = error
  }

  readonly write = async (rows: readonly NewExecution[]): Promise<Enqueued[]> => {
    this.batches.push(rows.map(({ id }) => nameOf(id)))
    await new Promise<void>((resolve) => this.#open.push(resolve))
    for (const { id } of rows) {
      const error = this.#error(id)
      if (error !== null) throw error
    }
    return rows.map(({ id }) => ({ id, created: true }))
  }

  /** Ends whatever is under way, until nothing is any more. */
  async end(): Promise<void> {
    for (let rest = 0; rest < 20; rest += 1) {
      for (const end of this.#open.splice(0)) end()
      await turn()
    }
  }
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

async function addInTurns(
  gatherer: Gatherer<NewExecution, Enqueued>,
  count: number,
): Promise<Promise<Enqueued[]>[]> {
  const added: Promise<Enqueued[]>[] = []
  for (let n = 0; n < count; n += 1) {
    const one = gatherer.add([newExecution(`e${n}`, 'a')])
    // Whoever waits for it hears of its failure.
    one.catch(() => {})
    added.push(one)
    await turn()
  }
  return added
}

test('what comes while enough is under way shares the next write, in order, and each hears of its own', async () => {
  const writes = new Writes()
  const added = await addInTurns(new Gatherer(writes.write, 2), 50)
  expect(writes.batches).toEqual([['e0'], ['e1']])
  await writes.end()
  expect(writes.batches).toHaveLength(3)
  expect(writes.batches[2]).toEqual(Array.from({ length: 48 }, (_, n) => `e${n + 2}`))
  expect((await Promise.all(added)).flat().map(({ id }) => nameOf(id))).toEqual(
    Array.from({ length: 50 }, (_, n) => `e${n}`),
  )
})

test('without a limit nobody waits for another turn', async () => {
  const writes = new Writes()
  const added = await addInTurns(new Gatherer(writes.write, Number.POSITIVE_INFINITY), 5)
  expect(writes.batches).toHaveLength(5)
  await writes.end()
  expect(await Promise.all(added)).toHaveLength(5)
})

test('a write has its limit, and what one caller asks for stays together', async () => {
  const writes = new Writes()
  const gatherer = new Gatherer(writes.write, 1)
  const sizes = [1, 600, 600, 2_000, 1]
  const added = sizes.map((size) => gatherer.add(Array.from({ length: size }, () => newExecution('e', 'a'))))
  await writes.end()
  expect((await Promise.all(added)).map(({ length }) => length)).toEqual(sizes)
  expect(writes.batches.map(({ length }) => length)).toEqual([601, 600, 2_000, 1])
})

test('who is refused is refused alone, and costs the others few writes', async () => {
  const writes = new Writes((id) =>
    id === idOf('e40') ? new EvertickError('job_not_found', 'No such job.') : null,
  )
  const added = await addInTurns(new Gatherer(writes.write, 1), 65)
  await writes.end()
  const outcomes = await Promise.allSettled(added)
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  expect(outcomes[40]).toMatchObject({ status: 'rejected', reason: { code: 'job_not_found' } })
  // The first alone, the other 64, and two halves for each time that these are halved.
  expect(writes.batches.length).toBeLessThanOrEqual(2 + 2 * 6)
})

test('a database that is gone is not asked again by each of them', async () => {
  const writes = new Writes(() => new EvertickError('database_unavailable', 'Gone.'))
  const added = await addInTurns(new Gatherer(writes.write, 1), 20)
  await writes.end()
  const outcomes = await Promise.allSettled(added)
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
  expect(writes.batches).toHaveLength(2)
})
