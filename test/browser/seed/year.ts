/** A year and a month of a job that runs six times a day, of which only the newest runs are kept: the rest is folded. */
import { openAccess } from '../../../src/app/access/open-access.ts'
import { contextOf } from '../../../src/app/app-context.ts'
import { apiConfig } from '../../../src/app/config/api-config.ts'
import { defineJob, type Logger } from '../../../src/index.ts'
import { openTestNode } from '../../../src/testing/index.ts'
import { calmly, SeedClock, secret } from './seed-clock.ts'

export const yearStart = '2025-10-12T06:00:00Z'
export const yearEnd = '2026-11-16T09:40:00Z'
export const yearJob = 'import.orders'

/** Days on which it failed at noon, and a week in which the partner was away. */
const bad = ['2025-12-24', '2026-02-11', '2026-02-12', '2026-06-30', '2026-09-03', '2026-10-30']
const awayFrom = Date.parse('2026-04-06T00:00:00Z')
const awayUntil = Date.parse('2026-04-12T20:00:00Z')

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

export interface Year {
  readonly url: string
  readonly token: string
  readonly stop: () => Promise<void>
}

export async function openYear(): Promise<Year> {
  const clock = new SeedClock(yearStart)
  const job = defineJob({
    name: yearJob,
    schedule: { cron: '0 */4 * * *', timezone: 'UTC' },
    description: 'Orders of the partner’s API.',
    retry: { attempts: 1 },
    retention: { executions: 40, age: '7d' },
    run: async ({ scheduledFor, signal }) => {
      await clock.sleep(2_000 + (scheduledFor.getUTCDate() % 7) * 300, signal)
      const at = scheduledFor.getTime()
      const isNoon = scheduledFor.getUTCHours() === 12
      if (at >= awayFrom && at < awayUntil) throw new Error('partner API: 503 Service Unavailable')
      if (isNoon && bad.includes(scheduledFor.toISOString().slice(0, 10))) throw new Error('read timed out')
    },
  })
  const node = await openTestNode({
    clock,
    jobs: [job],
    logger: silent,
    roles: ['scheduler', 'worker', 'api'],
    api: { host: '127.0.0.1', port: 0, secrets: [secret] },
    ...calmly,
  })
  const until = async (instant: string) => await node.advance(Date.parse(instant) - clock.now())
  const { jobs, url } = node.evertick
  await until('2026-07-20T09:00:00Z')
  await jobs.pause(yearJob, { reason: 'The partner moves', actor: 'session:ana' })
  await until('2026-07-27T09:00:00Z')
  await jobs.resume(yearJob, { catchUp: 'skip', actor: 'session:ana' })
  await until(yearEnd)
  clock.isOver = true
  if (url === null) throw new Error('The node of the year does not listen.')
  const access = openAccess(contextOf(node.evertick), apiConfig({ secrets: [secret] }))
  const { token } = await access.createToken({ name: 'viewer', role: 'viewer' })
  return { url, token, stop: async () => await node.stop() }
}
