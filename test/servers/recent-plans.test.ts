/** What live events and metrics ask again and again reads no history, on every engine: an index carries each statement. */
import { expect, inject, test } from 'vitest'
import { claimableText, unfinishedTexts } from '../../src/store/sql/cluster/queues.ts'
import { recentTexts } from '../../src/store/sql/executions/recent-executions.ts'
import { idOf, jobSpec, newExecution } from '../store/builders.ts'
import { type Bench, withStore } from '../store/conformance/store-under-test.ts'
import { mysqlFile } from '../store/mysql-store.ts'
import { postgresFile } from '../store/postgres-store.ts'
import { openMemory } from '../store/sqlite-store.ts'
import { onServer } from './on-server.ts'

/** With values in place of marks: only their plan is asked for. */
const statements = [
  recentTexts.freshText.replace('?', '9950').replace('?', '500'),
  recentTexts.runningText.replace('?', '500'),
  recentTexts.namedText.replace('?*', `('${idOf('e1')}', '${idOf('e2')}', '${idOf('e3')}')`),
  claimableText,
  ...unfinishedTexts,
]

/** A history of 10,000, of which three run. */
async function fill({ hand, store, sql }: Bench): Promise<void> {
  await hand.create('a', jobSpec({ schedule: null }))
  for (let from = 0; from < 10_000; from += 1_000) {
    await store.work.enqueueExecutions(
      Array.from({ length: 1_000 }, (_, at) => newExecution(`e${from + at}`, 'a')),
    )
  }
  await sql(`UPDATE @job_executions SET state = 'completed'`)
  await sql(
    `UPDATE @job_executions SET state = 'running', leased_until = 9 WHERE id IN ('${idOf('e1')}', '${idOf('e2')}', '${idOf('e3')}')`,
  )
}

async function plansOf({ sql }: Bench, explain: string): Promise<string[]> {
  const plans: string[] = []
  for (const text of statements) plans.push(JSON.stringify(await sql(`${explain} ${text}`)))
  return plans
}

test(
  'on SQLite',
  withStore(openMemory, async (bench) => {
    await fill(bench)
    for (const plan of await plansOf(bench, 'EXPLAIN QUERY PLAN')) {
      // A partial index may be scanned: it has nothing but what is asked for.
      expect(plan).toMatch(
        /SEARCH e USING (?:INTEGER PRIMARY KEY|INDEX)|SCAN e USING INDEX \w+_(?:claim|lease|blocked)/,
      )
      expect(plan).not.toMatch(/SCAN \w+"/)
    }
  }),
)

const { postgresUrl, mysqlUrl } = { postgresUrl: inject('postgresUrl'), mysqlUrl: inject('mysqlUrl') }

test.skipIf(postgresUrl === null)(
  'on PostgreSQL',
  onServer(
    () => postgresFile(postgresUrl ?? ''),
    async (bench) => {
      await fill(bench)
      await bench.sql('ANALYZE')
      for (const plan of await plansOf(bench, 'EXPLAIN')) {
        expect(plan).toMatch(/Index (?:Only )?Scan/)
        expect(plan).not.toMatch(/Seq Scan on finished_executions/)
      }
    },
  ),
)

test.skipIf(mysqlUrl === null)(
  'on MariaDB',
  onServer(
    () => mysqlFile(mysqlUrl ?? ''),
    async (bench) => {
      await fill(bench)
      // Rebuilt, or what the index still has of the states before counts for its estimates.
      await bench.sql('OPTIMIZE TABLE @job_executions')
      await bench.sql('ANALYZE TABLE @job_executions')
      for (const plan of await plansOf(bench, 'EXPLAIN')) {
        const [first] = JSON.parse(plan) as [object]
        expect(first).toMatchObject({ type: expect.stringMatching(/^(?:range|ref)/) as string })
      }
    },
  ),
)
