/** A million missed ticks, accounted by each catch-up policy; the audit is clean afterwards. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { JobOptions } from '../src/core/job/options.ts'
import { type Engine, engineNames } from './engines/engine.ts'
import { accountAll, auditOk, copyJobs, createJob, lead, specOf } from './fixture.ts'
import { type EngineMeasure, elapsedMs, type Figure } from './measure.ts'
import { withConnection, withStore } from './scratch-database.ts'

const ticks = 1_000_000

async function catchUp(
  engine: Engine,
  jobs: number,
  missed: number,
  catchUp: JobOptions['catchUp'],
): Promise<number> {
  return await withStore(engine, async (store, database) => {
    const then = Math.floor(Date.now() / 1_000) * 1_000 - missed * 1_000
    const spec = specOf({ schedule: { every: '1s', anchor: 'epoch' }, ...(catchUp && { catchUp }) }, then)
    const jobId = await createJob(store, 'missed', spec, then)
    if (jobs > 1) {
      await withConnection(database, (connection) => copyJobs(connection, jobId, jobs - 1, then + 1_000))
    }
    const leading = await lead(store)
    const ms = await elapsedMs(async () => {
      const done = await accountAll(store, leading)
      if (done !== jobs) throw new Error(`${done} of ${jobs} jobs were accounted`)
    })
    await auditOk(store)
    return ms
  })
}

/** After a collection: what is only waiting for one says nothing. */
function keptHeap(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed
}

export const missedTicks: EngineMeasure = {
  name: 'missed-ticks',
  on: engineNames,
  async run({ engine, large, say }) {
    const results: Figure[] = []
    for (const missed of large ? [ticks, 10 * ticks] : [ticks]) {
      for (const policy of ['latest', 'none'] as const) {
        const name = `${missed} missed ticks of one job, catchUp ${policy}`
        say(name)
        results.push({ name, value: await catchUp(engine, 1, missed, policy), unit: 'ms' })
      }
    }
    const name = `${ticks} missed ticks of 1000 jobs, catchUp all`
    say(name)
    const all = { policy: 'all', maxMissedRuns: 1_000 } as const
    const heapBefore = keptHeap()
    results.push({ name, value: await catchUp(engine, 1_000, 1_000, all), unit: 'ms' })
    const kept = Math.max(0, keptHeap() - heapBefore) / 1_048_576
    results.push({ name: `${name}: heap kept`, value: kept, unit: 'MB' })
    return results
  },
}
