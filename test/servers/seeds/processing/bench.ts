/** What the sections of document 002 share. The database is MariaDB, as there, unless a test says otherwise. */
import { afterAll, beforeAll, expect, inject, onTestFinished, vi } from 'vitest'
import { Evertick, ProcessingJobRepository } from '../../../../src/index.ts'
import { ManualClock } from '../../../../src/testing/index.ts'
import { Child } from '../../../process/child.ts'
import { onMariadb, type ProcessingDatabase } from './database.ts'

export const mysqlUrl = inject('mysqlUrl')
export const postgresUrl = inject('postgresUrl')
export const hour = 3_600_000

let database: ProcessingDatabase | null = null
let queues = 0

/** One database for most tests; each has a queue of its own in it. */
export function useSharedDatabase(): void {
  beforeAll(async () => {
    if (mysqlUrl !== null) database = await onMariadb(mysqlUrl)
  }, 60_000)
  afterAll(() => database?.drop())
}

export function shared(): ProcessingDatabase {
  if (database === null) throw new Error('There is no MariaDB here.')
  return database
}

/** A database of this test's own. */
export async function ownDatabase(opening: Promise<ProcessingDatabase>): Promise<ProcessingDatabase> {
  const own = await opening
  onTestFinished(() => own.drop())
  return own
}

export function newQueue(): string {
  queues += 1
  return `q${queues}`
}

export interface Bench {
  readonly clock: ManualClock
  readonly evertick: Evertick
  readonly queue: string
  readonly jobs: ProcessingJobRepository
}

/** An hour ago, so that the server's NOW() is past whatever lease of a minute this test's clock has given. */
export async function bench(url = shared().url, queue = newQueue()): Promise<Bench> {
  const clock = new ManualClock(Date.now() - hour)
  const evertick = await Evertick.open({ database: url, clock })
  onTestFinished(() => evertick.stop())
  return { clock, evertick, queue, jobs: new ProcessingJobRepository({ evertick, queue }) }
}

/** By the time of the database itself. */
export function repositoryOn(url: string, queue = 'processing'): ProcessingJobRepository {
  const jobs = new ProcessingJobRepository({ database: url, queue })
  onTestFinished(() => jobs.close())
  return jobs
}

export function pass(clock: ManualClock, seconds: number): void {
  clock.moveTo(clock.now() + seconds * 1_000)
}

export function startWorker(
  database: string,
  workerId: string,
  hang: 'never' | 'before' | 'inside' | 'zombie',
  leaseDurationSeconds = 2,
): Child {
  return new Child('processing-node.ts', { database, workerId, hang, leaseDurationSeconds })
}

/** What the page's test script verifies, in its order. */
export async function expectVerified({ clock, jobs }: Pick<Bench, 'clock' | 'jobs'>): Promise<void> {
  const { id } = await jobs.createJob({ job_id: 'test-1', payload: {} })
  const [one, other] = await Promise.all([jobs.acquireLease('w1', 60), jobs.acquireLease('w2', 60)])
  const [holder, loser] = one === null ? ['w2', 'w1'] : ['w1', 'w2']
  expect([one, other].filter((job) => job !== null)).toMatchObject([{ id, locked_by: holder, attempts: 1 }])
  expect(await jobs.extendLease(id, loser, 60)).toBe(false)
  expect(await jobs.extendLease(id, holder, 60)).toBe(true)
  expect((await jobs.findById(id))?.locked_until).toEqual(new Date(clock.now() + 120_000))
  expect(await jobs.releaseLease(id, loser, 'done')).toBe(false)
  expect(await jobs.releaseLease(id, holder, 'retry', 'first')).toBe(true)
  for (const attempts of [2, 3]) {
    expect(await jobs.acquireLease('w1', 60)).toMatchObject({ attempts })
    pass(clock, 61)
    expect(await jobs.resetExpiredLeases()).toBe(1)
  }
  expect(await jobs.findById(id)).toMatchObject({ status: 'failed', attempts: 3, locked_by: null })
  expect(await jobs.acquireLease('w1', 60)).toBeNull()
}

/** The page's environment variables for a database. */
export function mysqlEnvironment(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname } = new URL(url)
  return {
    MYSQL_DB_HOST: hostname,
    MYSQL_DB_PORT: port,
    MYSQL_DB_USER: decodeURIComponent(username),
    MYSQL_DB_PASSWORD: decodeURIComponent(password),
    MYSQL_DB_NAME: decodeURIComponent(pathname.slice(1)),
  }
}

export function stubMysqlEnvironment(url: string): void {
  for (const [name, value] of Object.entries(mysqlEnvironment(url))) vi.stubEnv(name, value)
}
