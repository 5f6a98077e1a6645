/** A process dies at each step of a fold: all of it has happened, or none. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { jobSpec } from '../store/builders.ts'
import { at } from '../store/by-hand.ts'
import { type OpenStoreUnderTest, withStore } from '../store/conformance/store-under-test.ts'
import { type FailpointName, failpoint, foldPointNames } from './failpoints.ts'

const script = fileURLToPath(new URL('./fold-node.ts', import.meta.url))

async function diesFolding(url: string, now: number, point: FailpointName): Promise<void> {
  const env = { ...process.env, ...failpoint(point, 1, 'kill') }
  const child = spawn(process.execPath, ['--no-warnings', script, url, String(now)], {
    env,
    stdio: 'inherit',
  })
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
}

export function testFoldsKilled(name: string, open: OpenStoreUnderTest, urlOf: () => string): void {
  test.each(foldPointNames)(
    `${name}: %s`,
    { timeout: 60_000 },
    async (point) =>
      await withStore(open, async ({ hand, store }) => {
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', jobSpec({ retention: { executions: 1, ageMs: 0 } }))
        const run = async (tick: number) => {
          await hand.account(led, at(tick))
          await hand.drain(at(tick))
        }
        for (const tick of [10, 20, 30]) await run(tick)
        // A first row, with which the next fold joins.
        await store.ticks.purgeHistory({ afterJobId: null, jobs: 10, now: at(31) })
        for (const tick of [40, 50]) await run(tick)
        const before = await hand.ledger('a')
        expect(before).toEqual(['10-20 fired completed x2', '30 fired', '40 fired', '50 fired'])
        await diesFolding(urlOf(), at(51), point)
        expect(await hand.ledger('a')).toEqual(before)
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 5, unaccounted: 0, doubled: 0 })
        await store.ticks.purgeHistory({ afterJobId: null, jobs: 10, now: at(51) })
        expect(await hand.ledger('a')).toEqual(['10-40 fired completed x4', '50 fired'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 5, unaccounted: 0, doubled: 0 })
      })(),
  )
}
