/** An IntervalScheduler on a PostgreSQL database of its own, and on a clock that the test moves. */
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { IntervalScheduler, type IntervalSchedulerOptions } from '../../../../src/index.ts'
import { openTestNode, type TestNode, type TestNodeOptions } from '../../../../src/testing/index.ts'
import { createPostgres } from '../../../services/databases.ts'

export interface Scene {
  readonly url: string
  readonly node: TestNode
  readonly scheduler: IntervalScheduler
  /** Another process on the same database and the same clock. */
  readonly another: (options?: IntervalSchedulerOptions) => Promise<Pick<Scene, 'node' | 'scheduler'>>
}

export async function emptyDatabase(): Promise<string> {
  const database = await createPostgres(inject('postgresUrl') ?? '')
  onTestFinished(() => database.drop())
  return database.url
}

export async function open(
  options: IntervalSchedulerOptions = {},
  nodeOptions: TestNodeOptions = {},
): Promise<Scene> {
  const url = await emptyDatabase()
  const first = await join(options, { ...nodeOptions, database: url, migrate: true })
  const another: Scene['another'] = (given = {}) => join(given, { database: url, clock: first.node.clock })
  return { url, ...first, another }
}

async function join(options: IntervalSchedulerOptions, nodeOptions: TestNodeOptions) {
  const node = await openTestNode(nodeOptions)
  // Half a minute is a long way for a clock that is moved by hand from timer to timer.
  const usual = { evertick: node.evertick, execute: () => {}, metricsInterval: '1h' } as const
  const scheduler = new IntervalScheduler({ ...usual, ...options })
  await scheduler.start()
  onTestFinished(async () => {
    await scheduler.stop({ timeout: 0 })
    await node.stop()
  })
  return { node, scheduler }
}

export async function rowsOf(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

export const broken = () => {
  throw new Error('the source is down')
}
