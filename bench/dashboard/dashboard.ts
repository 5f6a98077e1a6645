/** The list of jobs in a real browser, with 100,000 of them: whether it scrolls and filters without standing still. */
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { buildDashboard } from '../../scripts/build-dashboard.ts'
import { copyJobs, createJob, specOf } from '../fixture.ts'
import { type ApiSaid, withApi } from '../http/child-api.ts'
import type { EngineMeasure } from '../measure.ts'
import { withConnection, withStore } from '../scratch-database.ts'

const jobs = 100_000

export interface Watched {
  /** The longest time for which the page could not draw or answer, while it was scrolled. */
  readonly longestTaskMs: number
  readonly frames: number
  /** Those that came a frame or more too late. */
  readonly droppedFrames: number
  readonly firstRowsMs: number
  readonly filterMs: number
}

async function watched(api: ApiSaid): Promise<Watched> {
  const script = join(import.meta.dirname, 'browser-process.ts')
  const child = fork(script, [JSON.stringify(api)], { execArgv: ['--no-warnings'] })
  const ended = once(child, 'exit').then(() => [null])
  const [found] = (await Promise.race([once(child, 'message'), ended])) as [Watched | null]
  if (found === null) throw new Error('The browser could not be driven: see above.')
  await ended
  return found
}

export const dashboard: EngineMeasure = {
  name: 'dashboard',
  on: ['sqlite'],
  async run({ engine, say }) {
    await buildDashboard()
    return await withStore(engine, async (store, database) => {
      say(`dashboard, ${jobs.toLocaleString('en')} jobs`)
      const now = Date.now()
      const schedule = { cron: '0 3 * * *', timezone: 'Europe/Madrid' }
      const jobId = await createJob(store, 'template', specOf({ schedule, tags: ['copy'] }, now), now)
      await withConnection(database, (connection) => copyJobs(connection, jobId, jobs, now + 3_600_000))
      const given = { database: database.url, secret: randomBytes(48).toString('base64url'), lanes: null }
      const found = await withApi(given, watched)
      const share = (100 * found.droppedFrames) / found.frames
      return [
        { name: 'list of jobs, first rows', value: found.firstRowsMs, unit: 'ms' },
        { name: 'list of jobs, longest task while scrolling', value: found.longestTaskMs, unit: 'ms' },
        { name: 'list of jobs, frames dropped while scrolling', value: share, unit: '%' },
        { name: 'list of jobs, one found by its name', value: found.filterMs, unit: 'ms' },
      ]
    })
  },
}
