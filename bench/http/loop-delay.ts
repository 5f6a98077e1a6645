/**
 * How long the worst requests hold the event loop of a node, by its own measure: each alone, and ten at once. Whatever holds
 * it for as long as a lease costs the node its lead.
 */
import { randomBytes } from 'node:crypto'
import { type Engine, engineNames, type ScratchDatabase } from '../engines/engine.ts'
import { copyJobs, copyName, createJob, fillHistory, specOf } from '../fixture.ts'
import type { EngineMeasure, Figure } from '../measure.ts'
import { withConnection, withStore } from '../scratch-database.ts'
import { type DelayApi, withDelayApi } from './child-api.ts'

const atOnce = 10
const sizes = { small: { jobs: 2_000, executions: 20_000 }, large: { jobs: 10_000, executions: 1_000_000 } }

const iso = (at: number) => new Date(at).toISOString()
const numbers = (count: number) => `[${'0,'.repeat(count)}0]`
const keys = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":0`).join(',')}}`

interface Input {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

/** The worst that we could find; what is refused is measured like the rest. */
function worstInputs(now: number): readonly Input[] {
  const day = 86_400_000
  const [past, toCome] = [
    `from=${iso(now - 90 * day)}&to=${iso(now + day)}`,
    `from=${iso(now)}&to=${iso(now + 31 * day)}`,
  ]
  const job = `/jobs/${copyName(1)}`
  const get = (name: string, path: string): Input => ({ name, method: 'GET', path })
  const post = (name: string, path: string, body: string): Input => ({ name, method: 'POST', path, body })
  const sparse = '{"schedule":{"cron":"0 0 29 2 1","timezone":"Europe/Madrid"},"count":1000}'
  return [
    post('a preview of 2 MiB of numbers', '/schedules/preview', numbers(1_048_570)),
    post('a preview of 150,000 unknown keys', '/schedules/preview', keys(150_000)),
    post('a preview of a thousand leap days', '/schedules/preview', sparse),
    post('a session of 16 KiB', '/session', keys(1_000)),
    post('an acquire of a million handlers', '/leases/acquire', `{"handlers":${numbers(1_000_000)}}`),
    post('a bulk of a million numbers', '/jobs/bulk', `{"filter":${numbers(1_000_000)}}`),
    post('an enqueue of 49,000 numbers', '/executions', `{"job":"target","input":${numbers(49_000)}}`),
    post('an enqueue of 1 MiB of numbers', '/executions', `{"job":"target","input":${numbers(524_000)}}`),
    post('metadata of 9,900 keys', '/executions', `{"job":"target","metadata":${keys(9_900)}}`),
    post('a job with 49,000 tags', '/jobs', `{"name":"x","tags":${numbers(49_000)}}`),
    get('the audit', '/audit'),
    get('the audit log verified', '/audit-log/verify'),
    get('10,000 ticks of a second', `/jobs/second/ticks?${past}&limit=10000`),
    get('the newest 1,000 ticks', '/jobs/second/ticks/newest?limit=1000'),
    get('1,000 upcoming', `${job}/upcoming?count=1000`),
    get('a heatmap of 91 days', `/jobs/second/heatmap?${past}`),
    get('activity in 500 buckets', `/activity?${past}&buckets=500`),
    get('a forecast of 31 days', `/forecast?${toCome}&buckets=500`),
    get('a timeline of 2,000 runs', `/timeline?from=${iso(now - 20 * day)}&to=${iso(now + day)}&limit=2000`),
    get('the crontab of all jobs', '/export/crontab'),
  ]
}

async function longestOf(api: DelayApi, { method, path, body }: Input, times: number): Promise<number> {
  const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' }
  const ask = async () => {
    const url = `http://127.0.0.1:${api.port}/api/v1${path}`
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
    await answer.arrayBuffer()
  }
  await api.longestDelayMs()
  // A body that is refused before its end closes its connection.
  await Promise.allSettled(Array.from({ length: times }, ask))
  return await api.longestDelayMs()
}

async function withHistory<T>(
  engine: Engine,
  { jobs, executions }: typeof sizes.small,
  work: (database: ScratchDatabase) => Promise<T>,
): Promise<T> {
  return await withStore(engine, async (store, database) => {
    const now = Date.now()
    await createJob(store, 'target', specOf({}, now), now)
    const second = { schedule: { every: '1s', anchor: 'epoch' } } as const
    await createJob(store, 'second', specOf(second, now - 90 * 86_400_000), now - 90 * 86_400_000)
    const schedule = { cron: '*/10 * * * *', timezone: 'Europe/Madrid' }
    const jobId = await createJob(store, 'template', specOf({ schedule }, now), now)
    await withConnection(database, async (connection) => {
      await copyJobs(connection, jobId, jobs, now + 60_000)
      await fillHistory(connection, executions)
    })
    return await work(database)
  })
}

export const loopDelay: EngineMeasure = {
  name: 'loop-delay',
  on: engineNames,
  run: ({ engine, large, say }) =>
    withHistory(engine, large ? sizes.large : sizes.small, async (database) => {
      const given = { database: database.url, secret: randomBytes(48).toString('base64url'), lanes: null }
      return await withDelayApi(given, async (api) => {
        const figures: Figure[] = []
        for (const input of worstInputs(Date.now())) {
          const [alone, crowd] = [await longestOf(api, input, 1), await longestOf(api, input, atOnce)]
          say(`  ${input.name}: ${alone.toFixed(0)} ms, ten at once ${crowd.toFixed(0)} ms`)
          figures.push({ name: `${input.name}, ten at once`, value: crowd, unit: 'ms' })
        }
        const longest = Math.max(...figures.map(({ value }) => value))
        return [{ name: 'longest delay of the event loop', value: longest, unit: 'ms' }, ...figures]
      })
    }),
}
