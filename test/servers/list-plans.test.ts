/** No list and no picture reads a whole history, on any engine: an index carries each statement. */
import { expect, inject, test } from 'vitest'
import { countUnfinished } from '../../src/store/sql/executions/find-executions.ts'
import { lastExecutions } from '../../src/store/sql/executions/last-executions.ts'
import { listExecutions } from '../../src/store/sql/executions/list-executions.ts'
import { mergeTimeline } from '../../src/store/sql/executions/merge-timeline.ts'
import { readActivity, readTimeline } from '../../src/store/sql/executions/read-activity.ts'
import { pausedBefore } from '../../src/store/sql/jobs/find-jobs.ts'
import { countHealth, readHealth } from '../../src/store/sql/jobs/job-health.ts'
import { managedSpecs, recentRuns } from '../../src/store/sql/jobs/newest-of-each.ts'
import { matchingNames, pageJobs } from '../../src/store/sql/jobs/page-jobs.ts'
import { isInsert, type Param, type Row, type Script } from '../../src/store/sql/runtime/script.ts'
import { seqAtTexts } from '../../src/store/sql/runtime/seq-at.ts'
import { countTicks, missedTicks } from '../../src/store/sql/ticks/count-ticks.ts'
import { recentTicks } from '../../src/store/sql/ticks/recent-ticks.ts'
import type { JobSort } from '../../src/store/store.ts'
import { day, idOf, jobSpec, newExecution, t0 } from '../store/builders.ts'
import { type Bench, withStore } from '../store/conformance/store-under-test.ts'
import { mysqlFile } from '../store/mysql-store.ts'
import { postgresFile } from '../store/postgres-store.ts'
import { openMemory } from '../store/sqlite-store.ts'
import { onServer } from './on-server.ts'

const jobCount = 600
const executionCount = 12_000
const rangeCount = 6_000
const tables = ['jobs', 'job_executions', 'tick_ranges', 'job_tags', 'job_revisions']
/** Where the newest twentieth begins. */
const recentSeq = executionCount * 0.95

/** The statements of a script whose database is empty, with values in place of marks: only their plan is asked for. */
function statementsOf(
  script: Script<unknown>,
  ends: Row = { low: 1, high: 1, created_at: 0, place: 1 },
): string[] {
  const texts: string[] = []
  let step = script.next()
  while (!step.done) {
    if (isInsert(step.value)) throw new Error('a read inserts')
    const { text, params } = step.value
    const left = [...params]
    // The search by halves has a test of its own below.
    const searches = /AS low|AS place, created_at|k\.holder/.test(text)
    if (!searches) texts.push(text.replaceAll(/\?\*|\?(?:::bigint)?/g, () => literal(left.shift() ?? null)))
    step = script.next((searches ? [ends] : []) as Row[] & number)
  }
  return texts
}

function literal(param: Param): string {
  if (param === null) return 'NULL'
  if (typeof param === 'number') return String(param)
  if (typeof param === 'string') return `'${param}'`
  return param.length === 0 ? '(NULL)' : `(${param.map(literal).join(', ')})`
}

const page = (sort: JobSort, descending: boolean) => ({ terms: [], now: t0, sort, descending, limit: 50 })
const placeOf = (sort: JobSort) => ({ value: sort === 'name' ? '50' : t0 + 50_000, id: idOf('job-50') })
const span = { from: t0, to: t0 + day, maxRows: executionCount / 20 }
/** A leader whose lease is not over. */
const leads: Row = { holder: 'n1', fence: 1, expires_at: t0 + day, last_heartbeat: '2027-01-01 00:00:00' }
/** Numbers near the end, as a search by halves would find them. */
const nearEnd: Row = { low: recentSeq, high: recentSeq, created_at: 0, place: recentSeq }

/** Pages of jobs in an order that an index has; the end of a list, jobs with no value, may look through all of them. */
const ordered = (['name', 'createdAt', 'nextRunAt'] as const)
  .flatMap((sort) =>
    [false, true].flatMap((descending) => [
      ...statementsOf(pageJobs(page(sort, descending))),
      ...statementsOf(pageJobs({ ...page(sort, descending), after: placeOf(sort) })),
    ]),
  )
  .filter((text) => !text.includes(`state <> 'active'`))
/** What looks up the newest execution of each job: as many looks as there are jobs, whatever their history. */
const looked = (['lastRunAt', 'status'] as const).flatMap((sort) => statementsOf(pageJobs(page(sort, true))))
const histories = [
  ...statementsOf(matchingNames({ terms: [{ by: 'tag', values: ['rare'], negated: false }], now: t0 }, 50)),
  ...statementsOf(lastExecutions([idOf('job-1'), idOf('job-2')], t0)).slice(0, 1),
  ...statementsOf(managedSpecs([idOf('job-1'), idOf('job-2')])),
  ...statementsOf(recentTicks([idOf('job-1'), idOf('job-2')], 20)),
  ...statementsOf(recentRuns([idOf('job-1'), idOf('job-2')], 20)),
  ...statementsOf(listExecutions({ limit: 50, from: t0, to: t0 + day }), nearEnd),
  ...statementsOf(listExecutions({ limit: 50, afterId: idOf('e11900'), oldestFirst: true })),
  ...statementsOf(readActivity({ ...span, bucketMs: day }), nearEnd),
  ...statementsOf(readTimeline({ ...span, limit: 50, lookBackMs: 0 }), nearEnd),
  ...statementsOf(mergeTimeline({ ...span, limit: 50, lookBackMs: 0, slotMs: 60_000 }), nearEnd),
  ...statementsOf(countUnfinished()),
  ...statementsOf(pausedBefore(t0, 20)),
  ...statementsOf(readHealth([idOf('job-1'), idOf('job-2')], t0), leads),
  ...statementsOf(countHealth(t0), leads),
  ...statementsOf(missedTicks(1)),
  ...statementsOf(countTicks(idOf('job-1'), t0, t0 + day, 900_000, 60_000)),
  ...seqAtTexts.map((text) => text.replace('?', String(executionCount / 2))),
]

async function fill({ hand, store, sql }: Bench): Promise<void> {
  for (let index = 0; index < jobCount; index += 1) {
    const tags = index === 1 ? ['rare', 'all'] : ['all']
    await hand.create(`${index}`, jobSpec({ tags, description: 'd'.repeat(500) }), t0 + index)
  }
  await sql('UPDATE @jobs SET next_due_at = created_at + 49700')
  await sql(
    `UPDATE @jobs SET state = 'paused', next_due_at = NULL WHERE id IN ('${idOf('job-3')}', '${idOf('job-4')}')`,
  )
  for (let from = 0; from < executionCount; from += 1_000) {
    await store.work.enqueueExecutions(
      Array.from({ length: 1_000 }, (_, at) => newExecution(`e${from + at}`, `${(from + at) % jobCount}`)),
    )
  }
  await sql(`UPDATE @job_executions SET state = 'completed', started_at = ${t0}, finished_at = ${t0 + 1}`)
  await sql(`UPDATE @job_executions SET tick_at = seq, account = 'fired' WHERE seq % 2 = 0`)
  await sql(`UPDATE @job_executions SET state = 'failed' WHERE id IN ('${idOf('e7')}', '${idOf('e11999')}')`)
  await sql(
    `UPDATE @job_executions SET state = 'running', leased_until = 9 WHERE id IN ('${idOf('e1')}', '${idOf('e2')}', '${idOf('e3')}')`,
  )
  for (let from = 0; from < rangeCount; from += 500) {
    const rows = Array.from({ length: 500 }, (_, at) => {
      const number = from + at
      // A month of them, of which the span has a day.
      const tick = t0 + day - (rangeCount - number) * 432_000
      return `('${idOf(`job-${number % jobCount}`)}', ${tick}, ${tick}, 1, 'skipped', 'paused', 1, 'a', ${t0})`
    })
    await sql(
      `INSERT INTO @tick_ranges (job_id, from_at, to_at, count, account, reason, revision, tz_version, created_at) VALUES ${rows.join(', ')}`,
    )
  }
}

async function plansOf(
  { sql }: Bench,
  explain: string,
  statements: readonly string[],
): Promise<[string, string][]> {
  const plans: [string, string][] = []
  for (const text of statements) plans.push([text, JSON.stringify(await sql(`${explain} ${text}`))])
  return plans
}

test(
  'on SQLite',
  withStore(openMemory, async (bench) => {
    await fill(bench)
    await bench.sql('ANALYZE')
    // A partial index may be scanned: it has nothing but what is asked for.
    const whole =
      /SCAN (?:e|r|t|evertick_job_executions|evertick_tick_ranges|evertick_job_tags)(?! USING INDEX \w+_(?:lease|failed|claim|blocked|lane))\b/
    for (const [text, plan] of await plansOf(bench, 'EXPLAIN QUERY PLAN', [...histories, ...looked])) {
      expect([text, whole.exec(plan)?.[0]]).toEqual([text, undefined])
    }
    for (const [text, plan] of await plansOf(bench, 'EXPLAIN QUERY PLAN', ordered)) {
      expect([text, /TEMP B-TREE FOR ORDER BY/.test(plan)]).toEqual([text, false])
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
      for (const [text, plan] of await plansOf(bench, 'EXPLAIN', [...histories, ...looked])) {
        expect([
          text,
          /Seq Scan on (?:finished_executions|tick_ranges|job_tags|job_revisions)/.test(plan),
        ]).toEqual([text, false])
      }
      for (const [text, plan] of await plansOf(bench, 'EXPLAIN', ordered)) {
        expect([text, /Seq Scan on jobs/.test(plan)]).toEqual([text, false])
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
      for (const table of tables) {
        // Rebuilt, or what the index still has of the states before counts for its estimates.
        await bench.sql(`OPTIMIZE TABLE @${table}`)
        await bench.sql(`ANALYZE TABLE @${table}`)
      }
      for (const [text, plan] of await plansOf(bench, 'EXPLAIN', [...histories, ...looked])) {
        const steps = JSON.parse(plan) as { table: string | null; type: string; key: string | null }[]
        const whole = steps.filter(
          ({ table, type, key }) =>
            /^(?:e|r|t|\w*(?:job_executions|tick_ranges|job_tags))$/.test(table ?? '') &&
            (type === 'ALL' || (type === 'index' && key === null)),
        )
        expect([text, whole]).toEqual([text, []])
      }
      for (const [text, plan] of await plansOf(bench, 'EXPLAIN', ordered)) {
        const [{ type }] = JSON.parse(plan) as [{ type: string }]
        expect([text, type]).toEqual([text, expect.stringMatching(/^(?:index|range|index_merge|ref|const)$/)])
      }
    },
  ),
)
