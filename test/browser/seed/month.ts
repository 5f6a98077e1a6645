/**
 * A month in the life of a real node, told through the public API on a manual clock: failures, late runs, pauses, edits,
 * backfills, two DST days, and six hours in which nobody led.
 */
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Evertick } from '../../../src/index.ts'
import { type ManualClock, openTestNode, type TestNode } from '../../../src/testing/index.ts'
import { monthJobs } from './month-jobs.ts'
import { seedUsage } from './month-usage.ts'
import { calmly, SeedClock, secret } from './seed-clock.ts'

/** A Monday morning, four weeks and a bit after it began. */
export const monthStart = '2026-10-16T06:00:00Z'
export const monthEnd = '2026-11-16T09:40:00Z'

export interface Month {
  readonly evertick: Evertick
  readonly clock: ManualClock
  readonly url: string
  /** Where the database lies. */
  readonly database: string
  stop(): Promise<void>
}

export async function openMonth(): Promise<Month> {
  // In memory where there is such a folder: sixty thousand steps would each wait for a disk, and nothing here is to last.
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const folder = await mkdtemp(join(place, 'evertick-month-'))
  const database = `sqlite:${join(folder, 'evertick.db')}`
  const clock = new SeedClock(monthStart)
  const jobs = monthJobs(clock)
  const options = {
    database,
    clock,
    jobs,
    queues: { default: { concurrency: 20 }, slow: { concurrency: 1 } },
    ...calmly,
  } as const

  const first = await openTestNode({ ...options, nodeId: 'mars:4101' })
  await livedThrough(first)
  await first.stop()
  // A deploy that went wrong: from three to nine in the morning nobody led.
  clock.moveTo(Date.parse('2026-11-16T03:10:00Z'))
  clock.moveTo(Date.parse('2026-11-16T09:05:00Z'))
  // From here on everything beats as often as it does in life: half an hour is soon over.
  clock.longestSleepMs = 30_000
  const { worker: _lease, leader: _lead, ...asUsual } = options
  const second = await openTestNode({
    ...asUsual,
    leader: {},
    nodeId: 'venus:977',
    roles: ['scheduler', 'worker', 'api'],
    api: { host: '127.0.0.1', port: 0, secrets: [secret] },
  })
  await until(second, monthEnd)
  clock.isOver = true
  seedUsage(join(folder, 'evertick.db'))
  const { url } = second.evertick
  if (url === null) throw new Error('The node of the month does not listen.')
  return {
    evertick: second.evertick,
    clock,
    url,
    database,
    stop: async () => {
      await second.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function livedThrough(node: TestNode): Promise<void> {
  const { jobs } = node.evertick
  const ana = { actor: 'session:ana' }
  await until(node, '2026-10-20T14:00:00Z')
  await jobs.trigger('export.customer-data', { input: { customer: 'Acme Corp', format: 'json' }, ...ana })
  await until(node, '2026-10-22T08:00:00Z')
  await jobs.pause('crm.sync-contacts', {
    reason: 'HubSpot maintenance',
    until: '2026-10-24T08:00:00Z',
    ...ana,
  })
  await until(node, '2026-10-26T11:00:00Z')
  await jobs.update(
    'billing.collect-payments',
    { schedule: { cron: '0,30 * * * *' } },
    { actor: 'session:li' },
  )
  await jobs.backfill('reports.hourly-kpis', {
    from: '2026-10-25T00:00:00Z',
    to: '2026-10-25T06:00:00Z',
    ...ana,
  })
  await until(node, '2026-11-02T09:00:00Z')
  await jobs.pause('legacy.ftp-drop', {
    reason: 'The partner moved: waiting for new credentials',
    actor: 'session:li',
  })
  await until(node, '2026-11-09T10:00:00Z')
  await jobs.create(
    {
      name: 'campaign.black-friday',
      handler: 'billing.dunning',
      schedule: { at: '2026-11-27T07:00:00Z' },
      tags: ['mail'],
    },
    ana,
  )
  await jobs.cancel('ml.train-ranking', { actor: 'session:li' })
  await until(node, '2026-11-15T20:00:00Z')
  await node.evertick.queues.pause('slow', { reason: 'New disks on venus', ...ana })
  await until(node, '2026-11-16T02:00:00Z')
  await node.evertick.queues.resume('slow', ana)
  await until(node, '2026-11-16T03:05:00Z')
}

async function until(node: TestNode, instant: string): Promise<void> {
  await node.advance(Date.parse(instant) - node.clock.now())
}
