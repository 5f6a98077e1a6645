/** What a node is told of its server where it connects by itself; a pooler connects as whoever it was given. */
import { expect, test } from 'vitest'
import { type OpenStoreUnderTest, withStore } from '../store/conformance/store-under-test.ts'

export function describeServerFacts(open: OpenStoreUnderTest, skip: boolean): void {
  test.skipIf(skip)(
    'a worker learns how many connections there are, and that it may do no more than it needs',
    withStore(open, async ({ store }) => {
      const facts = await store.cluster.serverFacts()
      expect(facts?.powers).toEqual([])
      expect(facts?.connections).toBeGreaterThan(0)
      expect(facts?.maxConnections).toBeGreaterThan(facts?.connections ?? Number.POSITIVE_INFINITY)
    }),
  )
}
