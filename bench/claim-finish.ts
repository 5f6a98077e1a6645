/** Claim and finish through the store, in batches, with no worker around: what one round trip of the hot verbs costs. */
import { newId } from '../src/app/ids.ts'
import type { Store } from '../src/store/store.ts'
import { fillPending, nodeId } from './fixture.ts'
import { besides, interleave, type Measure, rate } from './measure.ts'
import { RawExecutions } from './raw-executions.ts'
import { openRaw, withStore } from './scratch-database.ts'

const rounds = 5
const sizes = [
  { batch: 1, count: 500 },
  { batch: 10, count: 3_000 },
  { batch: 100, count: 10_000 },
] as const

async function work(store: Store, batch: number): Promise<void> {
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
    const { claimed } = await store.claimExecutions(request)
    if (claimed.length === 0) return
    const ending = { state: 'completed', result: null } as const
    const attempts = claimed.map(({ id, fence, attempt }) => ({
      id,
      fence,
      attempt,
      ending,
      finishedAt: now,
    }))
    const { refused } = await store.finishAttempts({ nodeId, attempts, now })
    if (refused.length > 0) throw new Error(`${refused.length} attempts were refused`)
  }
}

export const claimFinish: Measure = {
  name: 'claim-finish',
  async run({ say }) {
    const results = []
    for (const { batch, count } of sizes) {
      const name = `claim + finish, batch ${batch}`
      say(name)
      const found = await interleave(rounds, {
        ours: () =>
          withStore(async (store) => {
            await fillPending(store, newId(Date.now()), count)
            return await rate(count, () => work(store, batch))
          }),
        raw: () =>
          withStore(async (_, path) => {
            const client = openRaw(path)
            const raw = new RawExecutions(client)
            raw.insert(count, 1_000)
            const found = await rate(count, () => raw.drain(batch))
            client.close()
            return found
          }),
      })
      results.push(...besides(name, 'jobs/s', found.ours, found.raw))
    }
    return results
  },
}
