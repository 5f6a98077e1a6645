/** Finds, and accounts for, 1,000 due jobs among many that are not: the cost must not grow with those. */
import { type Engine, engineNames } from './engines/engine.ts'
import { accountAll, copyJobs, copyName, createJob, lead, specOf } from './fixture.ts'
import { type EngineMeasure, elapsedMs, type Figure, medianOf } from './measure.ts'
import { withConnection, withStore } from './scratch-database.ts'

const rounds = 5
const due = 1_000

const makeDueText = `
  UPDATE @jobs SET next_due_at = ?, accounted_until = ? WHERE deleted_at IS NULL AND name >= ? AND name < ?`

interface Scan {
  readonly poll: number[]
  readonly account: number[]
}

async function scan(engine: Engine, jobs: number): Promise<Scan> {
  return await withStore(engine, async (store, database) => {
    const now = Date.now()
    // A million jobs take minutes to write: with the usual grace, what is due would by then be a catch-up.
    const spec = specOf({ schedule: { every: '1h' }, catchUp: { grace: '50m' } }, now - 3_600_000)
    const jobId = await createJob(store, 'template', spec, now)
    return await withConnection(database, async (connection) => {
      await copyJobs(connection, jobId, jobs, now + 1_800_000)
      const leading = await lead(store)
      const found: Scan = { poll: [], account: [] }
      for (let round = 0; round <= rounds; round += 1) {
        const from = round * due
        await connection.rows(makeDueText, now, now - 1, copyName(from), copyName(from + due))
        await connection.settle()
        const poll = await elapsedMs(async () => {
          const { jobs } = await store.ticks.findDueJobs(Date.now(), due)
          if (jobs.length !== due) throw new Error(`${jobs.length} of ${due} due jobs were found`)
        })
        const account = await elapsedMs(async () => {
          const done = await accountAll(store, leading)
          if (done !== due) throw new Error(`${done} of ${due} due jobs were accounted`)
        })
        if (round === 0) continue
        found.poll.push(poll)
        found.account.push(account)
      }
      return found
    })
  })
}

export const dueScan: EngineMeasure = {
  name: 'due-scan',
  on: engineNames,
  async run({ engine, large, say }) {
    const results: Figure[] = []
    const bases = new Map<string, number>()
    for (const jobs of large ? [10_000, 100_000, 1_000_000] : [10_000, 100_000]) {
      say(`poll and account of ${due} due of ${jobs} jobs`)
      const { poll, account } = await scan(engine, jobs)
      for (const [verb, times] of [
        ['poll', poll],
        ['scan + account', account],
      ] as const) {
        const figure = medianOf(`${verb} ${due} due of ${jobs} jobs`, 'ms', times)
        const base = bases.get(verb)
        if (base === undefined) bases.set(verb, figure.value)
        results.push(
          base === undefined ? figure : { ...figure, against: '10000 jobs', ratio: figure.value / base },
        )
      }
    }
    return results
  },
}
