/** Two verbs at once: the first stands before its COMMIT, the second comes meanwhile, then the first goes on. */
import { expect } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { type ByHand, byHand } from '../by-hand.ts'
import type { StoreUnderTest } from '../conformance/store-under-test.ts'
import { Gate, gatedStore, type ServerParts } from './gate.ts'

export interface ServerUnderTest {
  open(): Promise<StoreUnderTest>
  /** For a second store on the same database, behind a gate. */
  parts(): Promise<ServerParts>
  /** How many transactions wait for a row that another holds. */
  waiting(): Promise<number>
}

export interface Race {
  /** The one that comes second, by way of its own connections. */
  readonly store: Store
  readonly hand: ByHand
  readonly sql: StoreUnderTest['sql']
  /** Runs both: `first` through the gated store up to its COMMIT, then `second`, then the rest of both. */
  readonly both: <A, B>(
    first: (store: Store, hand: ByHand) => Promise<A>,
    second: (store: Store, hand: ByHand) => Promise<B>,
  ) => Promise<Raced<A, B>>
}

export interface Raced<A, B> {
  readonly first: PromiseSettledResult<A>
  readonly second: PromiseSettledResult<B>
  /** Whether the second had to wait for the first. */
  readonly waited: boolean
}

export function withRace(server: () => ServerUnderTest, run: (race: Race) => Promise<void>) {
  return async (): Promise<void> => {
    const opened = await server().open()
    const gate = new Gate()
    const gated = gatedStore(await server().parts(), gate)
    try {
      await run({
        store: opened.store,
        hand: byHand(opened.store),
        sql: opened.sql,
        async both(first, second) {
          gate.shut()
          const one = first(gated, byHand(gated))
          one.catch(() => {})
          await Promise.race([gate.standing(), one])
          let settled = false
          const two = second(opened.store, byHand(opened.store))
          two
            .catch(() => {})
            .finally(() => {
              settled = true
            })
          const waited = await waitsOrEnds(
            () => settled,
            async () => (await server().waiting()) > 0,
          )
          gate.open()
          const [a, b] = await Promise.allSettled([one, two])
          return { first: a, second: b, waited }
        },
      })
      expect(await opened.store.ticks.auditLedger({})).toMatchObject({
        unaccounted: 0,
        doubled: 0,
        findings: [],
      })
    } finally {
      gate.open()
      await gated.close()
      await opened.close()
    }
  }
}

/** True where it waits for the other, false where it ended without. */
async function waitsOrEnds(ended: () => boolean, waits: () => Promise<boolean>): Promise<boolean> {
  for (let looks = 0; looks < 500; looks += 1) {
    if (ended()) return false
    if (await waits()) return !ended()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('The second neither ended nor waited for the first.')
}

export function value<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason
  return result.value
}
