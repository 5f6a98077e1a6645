/**
 * What the API reads for one job, for one execution and for a page of executions grows with the page, and not with the
 * jobs or the history: no statement of theirs reads a whole table, or sorts one.
 */
import { expect, inject, test } from 'vitest'
import { findAccess } from '../../src/store/sql/access/access.ts'
import { jobUsages } from '../../src/store/sql/executions/job-usages.ts'
import { lastExecutions } from '../../src/store/sql/executions/last-executions.ts'
import { listExecutions } from '../../src/store/sql/executions/list-executions.ts'
import { findJob } from '../../src/store/sql/jobs/lock-job.ts'
import { isInsert, type Param, type Row, type Script } from '../../src/store/sql/runtime/script.ts'
import { listAttempts } from '../../src/store/sql/work/attempt-rows.ts'
import { listUsages } from '../../src/store/sql/work/usages.ts'
import { idOf, jobSpec, newExecution, t0 } from '../store/builders.ts'
import { type Bench, withStore } from '../store/conformance/store-under-test.ts'
import { mysqlFile } from '../store/mysql-store.ts'
import { postgresFile } from '../store/postgres-store.ts'
import { openMemory } from '../store/sqlite-store.ts'
import { onServer } from './on-server.ts'

const jobs = 500
const executions = 20_000
const atOnce = 1_000

/** Returns the id of the job that has a quarter of all executions. */
async function fill({ hand, store, sql }: Bench): Promise<string> {
  const numbered = Array.from({ length: jobs }, (_, n) => hand.create(`j${n}`, jobSpec({ schedule: null })))
  const [first] = await Promise.all(numbered)
  for (let from = 0; from < executions; from += atOnce) {
    const numbers = Array.from({ length: atOnce }, (_, n) => from + n)
    await store.work.enqueueExecutions(
      numbers.map((n) => newExecution(`e${n}`, n % 4 === 0 ? 'j0' : `j${n % jobs}`)),
    )
  }
  await sql(`UPDATE @job_executions SET state = 'completed', started_at = created_at`)
  // Of five attempts each: of fewer, PostgreSQL would rather read the whole small table.
  await sql(
    `INSERT INTO @usages (execution_id, fence, peak_memory_bytes, cpu_ms) SELECT e.id, f.fence, 1, 1 FROM @job_executions e
     CROSS JOIN (SELECT 1 AS fence UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5) f`,
  )
  await sql(
    `INSERT INTO @steps (execution_id, name, kind, tries, begun_at) SELECT id, 'a', 'step', 1, 0 FROM @job_executions`,
  )
  return first?.id ?? ''
}

/** By route; what each answers is there, so that every statement of it is asked. */
const reads: Readonly<Record<string, (jobId: string) => Script<unknown>>> = {
  'who calls': () => findAccess('t1'),
  'GET /jobs/{id}, by name': () => findJob('j0'),
  'GET /jobs/{id}, by id': (jobId) => findJob(jobId),
  'the last execution of a job': (jobId) => lastExecutions([jobId], t0),
  'GET /executions': () => listExecutions({ limit: 101 }),
  'GET /executions, a later page': () => listExecutions({ limit: 101, afterId: idOf('e5000') }),
  'GET /executions of a job, by name': () => listExecutions({ limit: 101, job: 'j0' }),
  'GET /executions of a job, by id': (jobId) => listExecutions({ limit: 101, job: jobId }),
  'the attempts of an execution': () => listAttempts([idOf('e7')]),
  'what they used': () => listUsages([idOf('e7')]),
  'GET /jobs/{id}/usage': (jobId) => jobUsages(jobId, 200),
}

/** The plan of each statement of a script, which is run on what the statements find. */
async function plansOf({ sql }: Bench, explain: string, script: Script<unknown>): Promise<string[]> {
  const plans: string[] = []
  let next = script.next()
  while (next.done !== true) {
    const step = next.value
    if (isInsert(step)) throw new Error('A read writes.')
    const text = filledIn(step.text, step.params)
    plans.push(JSON.stringify(await sql(`${explain} ${text}`)))
    next = script.next((await sql(text)) as Row[] & number)
  }
  return plans
}

/** Values in place of marks: only these tests write them, and they need no escape. */
function filledIn(text: string, params: readonly Param[]): string {
  const values = params[Symbol.iterator]()
  return text.replaceAll(/\?\*|\?/g, (mark) => {
    const { value } = values.next() as { value: Param }
    if (mark === '?*') return `(${(value as readonly (string | number)[]).map(literal).join(', ')})`
    return literal(value as string | number)
  })
}

function literal(value: string | number): string {
  return typeof value === 'number' ? String(value) : `'${value}'`
}

async function lookAt(
  bench: Bench,
  jobId: string,
  explain: string,
  check: (plan: string) => void,
): Promise<void> {
  for (const [what, script] of Object.entries(reads)) {
    const plans = await plansOf(bench, explain, script(jobId))
    expect([what, plans.length > 0]).toEqual([what, true])
    for (const plan of plans) check(plan)
  }
}

const timeout = 120_000

test(
  'on SQLite',
  { timeout },
  withStore(openMemory, async (bench) => {
    const jobId = await fill(bench)
    await lookAt(bench, jobId, 'EXPLAIN QUERY PLAN', (plan) => {
      // The newest of all are read in the order of the primary key, until there are enough.
      expect(plan).not.toMatch(/SCAN (?!e\b)/)
      expect(plan).not.toMatch(/TEMP B-TREE/)
    })
  }),
)

const { postgresUrl, mysqlUrl } = { postgresUrl: inject('postgresUrl'), mysqlUrl: inject('mysqlUrl') }

test.skipIf(postgresUrl === null)(
  'on PostgreSQL',
  { timeout },
  onServer(
    () => postgresFile(postgresUrl ?? ''),
    async (bench) => {
      const jobId = await fill(bench)
      // As autovacuum does: else an index alone is not enough to see which rows there are.
      await bench.sql('VACUUM ANALYZE @usages')
      await bench.sql('ANALYZE')
      await lookAt(bench, jobId, 'EXPLAIN', (plan) => {
        expect(plan).not.toMatch(/Seq Scan on (?:jobs|finished_executions)/)
        expect(plan).not.toMatch(/(?:Seq Scan|Bitmap Heap Scan|Index Scan using \w+) on usages/)
        expect(plan).not.toMatch(/Sort Key: e\.seq/)
      })
    },
  ),
)

test.skipIf(mysqlUrl === null)(
  'on MariaDB',
  { timeout },
  onServer(
    () => mysqlFile(mysqlUrl ?? ''),
    async (bench) => {
      const jobId = await fill(bench)
      await bench.sql('OPTIMIZE TABLE @job_executions')
      await bench.sql('ANALYZE TABLE @jobs, @job_executions')
      await lookAt(bench, jobId, 'EXPLAIN', (plan) => {
        for (const { table, type, rows, Extra } of JSON.parse(plan) as {
          table: string | null
          type: string
          rows: number
          Extra: string
        }[]) {
          // No whole table; `index` is the order of the primary key, read until there are enough.
          // What a step before has found (`<derived2>`) is read as it is, however many rows MariaDB reckons with.
          const isFound = table?.startsWith('<') === true
          expect([plan, type === 'ALL' && !isFound]).toEqual([plan, false])
          expect([plan, isFound || rows < executions / 2]).toEqual([plan, true])
          expect(Extra).not.toMatch(/filesort/)
        }
      })
    },
  ),
)
