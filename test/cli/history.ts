/** A database with a small history: ticks that fired, were skipped, folded, caught up; a failure; two terms. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { openTestNode } from '../../src/testing/index.ts'
import { type RunOptions, tempFolder } from './run-cli.ts'

export const start = '2026-01-01T00:00:00Z'

export interface History {
  readonly folder: string
  readonly database: string
}

/** 00:00 to 00:05 a node runs, until 00:10 nobody does, to 00:12 another one does. */
export async function makeHistory(): Promise<History> {
  const folder = tempFolder()
  const database = `sqlite:${join(folder, 'history.db')}`
  const minutely = defineJob({
    name: 'minutely',
    schedule: { cron: '* * * * *', timezone: 'Europe/Madrid' },
    tags: ['billing'],
    run: (ctx) => {
      ctx.log.info('counted the money')
      return { counted: true }
    },
  })
  const all = defineJob({
    name: 'each-minute',
    schedule: { every: '1m' },
    catchUp: { policy: 'all', maxMissedRuns: 3 },
    run: () => null,
  })
  const failing = defineJob({
    name: 'failing',
    schedule: { every: '2m' },
    retry: { attempts: 2, base: '1s' },
    run: () => {
      throw new Error('the disk is on fire')
    },
  })
  const jobs = [minutely, all, failing]
  const first = await openTestNode({ database, jobs, start, nodeId: 'first' })
  await first.advance('5m')
  await first.stop()
  const second = await openTestNode({ database, jobs, start: '2026-01-01T00:10:00Z', nodeId: 'second' })
  await second.advance('2m')
  await second.stop()
  return { folder, database }
}

/** One for all tests of a `describe`: the function gives its folder and settings while they run. */
export function sharedHistory(): () => RunOptions {
  let at: RunOptions
  beforeAll(async () => {
    const { folder, database } = await makeHistory()
    at = { cwd: folder, env: { EVERTICK_DATABASE_URL: database } }
  })
  afterAll(() => rmSync(at.cwd, { recursive: true, force: true }))
  return () => at
}
