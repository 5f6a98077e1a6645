/** What an enqueue has answered is so: while jobs come and go, an id that was returned is a row. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { EvertickError } from '../../../src/core/error.ts'
import type { Enqueued, NewExecution } from '../../../src/store/store.ts'
import { by, idOf, jobSpec, newExecution, newJob, t0 } from '../builders.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

/** How many acknowledgements of each kind are looked at. */
const acknowledgements = Number(process.env.EVERTICK_RACED_ENQUEUES ?? 100)
const onDemand = jobSpec({ schedule: null })
/** Few keys, so that they meet. */
const keyOf = (number: number) => ({ uniqueKey: `k${number % 3}` })

const refusals: ReadonlySet<string> = new Set(['job_not_found', 'invalid_transition'])

type Drafts = (id: string, number: number) => NewExecution[]

const inBatch: Drafts = (id, number) => [
  newExecution(`${id}-1`, 'a', keyOf(number)),
  newExecution(`${id}-2`, 'b'),
  newExecution(`${id}-3`, 'a', keyOf(number + 1)),
]

const kinds: Readonly<Record<string, Drafts>> = {
  'a single one': (id) => [newExecution(id, 'a')],
  'a batch': (id) => [
    newExecution(`${id}-1`, 'a'),
    newExecution(`${id}-2`, 'b'),
    newExecution(`${id}-3`, 'a'),
  ],
  'a unique key': (id, number) => [newExecution(id, 'a', keyOf(number))],
  'unique keys in a batch': inBatch,
}

export function describeAcknowledged(open: OpenStoreUnderTest): void {
  describe('acknowledged', () => {
    test.each(Object.entries(kinds))(
      'while its job is made, deleted and made again, what an enqueue returns is a row: %s',
      async (_, draftsOf) => {
        await withStore(open, async (bench) => {
          const raced = await race(bench, draftsOf, (drafts) => bench.store.work.enqueueExecutions(drafts))
          expect(raced).toEqual({ phantoms: [], uncreated: 0, isEnough: true, otherErrors: [] })
        })()
      },
    )

    test(
      "while its job is made, deleted and made again, what an enqueue returns is a row: a caller's transaction",
      withStore(open, async (bench) => {
        const caller = bench.callerTransactions['a driver connection']
        if (caller === undefined) throw new Error('no connection of a caller is offered')
        const raced = await race(bench, inBatch, async (drafts) => {
          await caller.begin()
          try {
            const made = await bench.store.work.enqueueExecutions(drafts, caller.tx)
            await caller.commit()
            return made
          } catch (error) {
            await caller.rollback()
            throw error
          }
        })
        expect(raced).toEqual({ phantoms: [], uncreated: 0, isEnough: true, otherErrors: [] })
      }),
    )
  })
}

interface Raced {
  /** Acknowledged, and not there. */
  readonly phantoms: readonly Enqueued[]
  /** How many rows nobody was told to have created. */
  readonly uncreated: number
  readonly isEnough: boolean
  readonly otherErrors: readonly unknown[]
}

async function race(
  { store, sql }: Bench,
  draftsOf: Drafts,
  enqueue: (drafts: NewExecution[]) => Promise<Enqueued[]>,
): Promise<Raced> {
  await store.jobs.createJob(newJob('b', onDemand))
  const over = new AbortController()
  let lives = 0
  const comeAndGo = async () => {
    for (; !over.signal.aborted; lives += 1) {
      await store.jobs.createJob({ ...newJob('a', onDemand), id: idOf(`job-a-${lives}`) })
      // Not always as long: in step with it, an enqueue might never meet its job.
      for (let turn = 0; turn <= lives % 5; turn += 1) await nextTurn()
      await store.jobs.changeJob('a', { kind: 'delete' }, by(t0))
    }
  }
  const isEnoughLives = () => lives >= acknowledgements * 10
  const returned: Enqueued[] = []
  const otherErrors: unknown[] = []
  const jobs = comeAndGo()
  // Bounded by lives, not by calls: while the disk writes a life down, refusals cost next to nothing.
  for (let calls = 0; returned.length < acknowledgements && !isEnoughLives(); calls += 1) {
    // A caller's transaction on SQLite never waits: without a turn between them, no job would ever come.
    await nextTurn()
    try {
      returned.push(...(await enqueue(draftsOf(`e${calls}`, calls))))
    } catch (error) {
      const isRefusal = error instanceof EvertickError && refusals.has(error.code)
      if (!isRefusal) otherErrors.push(error)
    }
  }
  over.abort()
  await jobs
  const rows = new Set((await sql('SELECT id FROM @job_executions')).map(({ id }) => id))
  return {
    phantoms: returned.filter(({ id }) => !rows.has(id)),
    uncreated: rows.size - returned.filter(({ created }) => created).length,
    isEnough: returned.length >= acknowledgements,
    otherErrors,
  }
}
