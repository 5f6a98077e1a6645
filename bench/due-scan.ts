/** Finds and accounts for 1,000 due jobs among many that are not: the cost must not grow with those. */
import { accountAll, copyJobs, createJob, lead, specOf } from './fixture.ts'
import { elapsedMs, type Measure, median, type Result, spread } from './measure.ts'
import { openRaw, withStore } from './scratch-database.ts'

const rounds = 5
const due = 1_000

async function scan(jobs: number): Promise<number[]> {
  return await withStore(async (store, path) => {
    const now = Date.now()
    const spec = specOf({ schedule: { every: '1h' } }, now - 3_600_000)
    const jobId = await createJob(store, 'template', spec, now)
    const client = openRaw(path)
    copyJobs(client, jobId, jobs, () => now + 1_800_000)
    const makeDue = client.prepare(
      `UPDATE evertick_jobs SET next_due_at = ?, accounted_until = ?
       WHERE id IN (SELECT id FROM evertick_jobs WHERE name LIKE 'copy-%' ORDER BY id LIMIT ? OFFSET ?)`,
    )
    const leading = await lead(store)
    const times: number[] = []
    for (let round = 0; round <= rounds; round += 1) {
      const tick = Date.now()
      makeDue.run(now, now - 1, due, round * due)
      client.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      const ms = await elapsedMs(async () => {
        const done = await accountAll(store, leading)
        if (done !== due) throw new Error(`${done} of ${due} due jobs were accounted since ${tick}`)
      })
      if (round > 0) times.push(ms)
    }
    client.close()
    return times
  })
}

export const dueScan: Measure = {
  name: 'due-scan',
  async run({ large, say }) {
    const results: Result[] = []
    let base = Number.NaN
    for (const jobs of large ? [10_000, 100_000, 1_000_000] : [10_000, 100_000]) {
      const name = `scan + account ${due} due of ${jobs} jobs`
      say(name)
      const times = await scan(jobs)
      const value = median(times)
      if (jobs === 10_000) base = value
      const measured = { name, engine: 'sqlite', value, unit: 'ms', spread: spread(times) }
      results.push(jobs === 10_000 ? measured : { ...measured, against: '10000 jobs', ratio: value / base })
    }
    return results
  },
}
