/** Lives through one history, and checks the invariants after each of its steps. */
import type fc from 'fast-check'
import type { StoreUnderTest } from './conformance/store-under-test.ts'
import { type aHistory, History } from './history.ts'
import { Invariants } from './invariants.ts'

export type Lived = typeof aHistory extends fc.Arbitrary<infer Value> ? Value : never

export async function live(bench: StoreUnderTest, { specs, steps }: Lived): Promise<void> {
  const history = new History(bench)
  const invariants = new Invariants(history)
  await history.begin(specs)
  await invariants.begin()
  for (const step of steps) {
    await history.take(step)
    await invariants.check(step)
  }
  await history.drain()
  await invariants.checkDrained()
}
