/** What the walk through the enhanced scheduler stands on: a fresh PostgreSQL database, the real Redis, and a clock under control. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { newId } from '../../../../src/app/ids.ts'
import {
  EnhancedScheduler,
  type EnhancedSchedulerOptions,
  type Logger,
  ScheduleRepository,
} from '../../../../src/index.ts'
import { openStore } from '../../../../src/store/open-store.ts'
import { ManualClock } from '../../../../src/testing/index.ts'
import { until } from '../../../process/until.ts'
import { createPostgres } from '../../../services/databases.ts'

export const start = '2026-01-01T00:00:00Z'

export function redisUrl(): string {
  const url = inject('redisUrl')
  if (url === null) throw new Error('This walk needs a Redis.')
  return url
}

/** An empty database, as its administrator gives it. */
export async function emptyDatabase(): Promise<string> {
  const admin = inject('postgresUrl')
  if (admin === null) throw new Error('This walk needs a PostgreSQL.')
  const database = await createPostgres(admin)
  onTestFinished(() => database.drop())
  return database.url
}

/** One whose migrations have been run. */
export async function freshDatabase(): Promise<string> {
  const url = await emptyDatabase()
  const { store, migrator } = await openStore(url, { newId, tzVersion: 'test' })
  await migrator.up(0)
  await store.close()
  return url
}

export async function query(
  url: string,
  text: string,
  ...params: unknown[]
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text, params)).rows as Record<string, unknown>[]
  } finally {
    await client.end()
  }
}

export const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

export function keptLogger(): Logger & { readonly lines: string[] } {
  const lines: string[] = []
  const keep = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') }
}

export function repositoryOn(database: string, pool?: { max: number }): ScheduleRepository {
  const repository = new ScheduleRepository({
    database,
    logger: silent,
    ...(pool === undefined ? {} : { pool }),
  })
  onTestFinished(() => repository.close())
  return repository
}

export interface Stand {
  readonly clock: ManualClock
  /** Another process, as far as the database can tell. */
  readonly open: (options?: EnhancedSchedulerOptions) => EnhancedScheduler
}

export function standOn(database: string): Stand {
  const clock = new ManualClock(start)
  return {
    clock,
    open(options = {}) {
      const scheduler = new EnhancedScheduler({
        database,
        // Time passes here in leaps, which is no reason for anybody to take over.
        leader: { lease: '12h', heartbeat: '3h' },
        clock,
        logger: silent,
        ...options,
      })
      onTestFinished(() => scheduler.stop({ timeout: 0 }))
      return scheduler
    },
  }
}

/** Lets time pass, five seconds at a time, until something holds. */
export async function passUntil(
  clock: ManualClock,
  what: string,
  holds: () => boolean | Promise<boolean>,
  stepMs = 5_000,
): Promise<void> {
  await until(what, async () => {
    if (await holds()) return true
    clock.moveTo(clock.now() + stepMs)
    return false
  })
}

/** A name that no other test uses on the shared Redis. */
export function uniqueName(): string {
  return `test-${randomUUID()}`
}
