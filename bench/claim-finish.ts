/** Claim and finish through the store, in batches, with no worker around: what one round trip of the hot verbs costs. */
import { newId } from '../src/app/ids.ts'
import type { Store } from '../src/store/store.ts'
import { engineNames } from './engines/engine.ts'
import { fillPending, nodeId } from './fixture.ts'
import { besides, type EngineMeasure, interleave, rate } from './measure.ts'
import { withSchema, withStore } from './scratch-database.ts'

const rounds = 5
const sizes = [
  { batch: 1, count: 500 },
  { batch: 10, count: 3_000 },
  { batch: 100, count: 10_000 },
] as const

export async function claimAndFinish(store: Store, batch: number): Promise<void> {
  for (;;) {
    const now = Date.now()
    const request = {
      nodeId,
      queue: 'default',
      limit: batch,
      start: batch,
      now,
      readyBy: now,
      leaseMs: 30_000,
    }
    const { claimed } = await store.work.claimExecutions(request)
    if (claimed.length === 0) return
    const ending = { state: 'completed', result: null } as const
    // With what the claim said, as the worker does it.
    const attempts = claimed.map((claim) => ({
      id: claim.id,
      fence: claim.fence,
      attempt: claim.attempt,
      claimed: claim,
      ending,
      finishedAt: now,
    }))
    const { refused } = await store.work.finishAttempts({ nodeId, attempts, now, heard: [] })
    if (refused.length > 0) throw new Error(`${refused.length} attempts were refused`)
  }
}

export const claimFinish: EngineMeasure = {
  name: 'claim-finish',
  on: engineNames,
  async run({ engine, say }) {
    const results = []
    for (const { batch, count } of sizes) {
      const name = `claim + finish, batch ${batch}`
      say(name)
      const works = {
        ours: () =>
          withStore(engine, async (store) => {
            await fillPending(store, newId(Date.now()), count)
            return await rate(count, () => claimAndFinish(store, batch))
          }),
        raw: () =>
          withSchema(engine, async ({ raw }) => {
            await raw.insert(count, Math.min(count, 1_000))
            return await rate(count, () => raw.drain(batch))
          }),
      }
      const found = await interleave(rounds, works, say)
      results.push(...besides(name, 'jobs/s', found.ours, found.raw))
    }
    return results
  },
}
