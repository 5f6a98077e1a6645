/** Takes back 10,000 leases whose worker is gone, in the rescuer's batches. */
import { batch } from '../src/engine/rescuer.ts'
import { type Engine, engineNames } from './engines/engine.ts'
import { fillPending, nodeId } from './fixture.ts'
import { type EngineMeasure, elapsedMs, medianOf } from './measure.ts'
import { withStore } from './scratch-database.ts'

const rounds = 3
const leases = 10_000

async function sweepOnce(engine: Engine): Promise<number> {
  return await withStore(engine, async (store) => {
    await fillPending(store, 'stale', leases)
    const now = Date.now()
    const request = {
      nodeId,
      queue: 'default',
      limit: leases,
      start: leases,
      now,
      readyBy: now,
      leaseMs: 1_000,
    }
    await store.work.claimExecutions(request)
    const later = now + 60_000
    return await elapsedMs(async () => {
      let expired = 0
      for (let found = batch; found === batch; expired += found) {
        found = (await store.work.expireLeases({ now: later, limit: batch, random: () => 0.5 })).expired
          .length
      }
      if (expired !== leases) throw new Error(`${expired} of ${leases} stale leases were taken back`)
    })
  })
}

export const sweep: EngineMeasure = {
  name: 'sweep',
  on: engineNames,
  async run({ engine, say }) {
    const name = `sweep of ${leases} stale leases`
    say(name)
    const times: number[] = []
    for (let round = 0; round < rounds; round += 1) times.push(await sweepOnce(engine))
    return [medianOf(name, 'ms', times)]
  },
}
