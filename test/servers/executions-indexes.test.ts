/**
 * Every index of the executions costs each of them a write, so each has a read that needs it; and no other index is there.
 * On PostgreSQL, which has a table for what is unfinished and one for what has finished.
 */
import { expect, inject, test } from 'vitest'
import { hotScripts } from '../../src/store/postgres/hot.ts'
import { jobRuns } from '../../src/store/sql/executions/finished-runs.ts'
import { listExecutions } from '../../src/store/sql/executions/list-executions.ts'
import { findExecution } from '../../src/store/sql/executions/make-execution.ts'
import { countHealth } from '../../src/store/sql/jobs/job-health.ts'
import { matchingNames } from '../../src/store/sql/jobs/page-jobs.ts'
import { isInsert, type Param, type Row, type Script } from '../../src/store/sql/runtime/script.ts'
import { recentTicks } from '../../src/store/sql/ticks/recent-ticks.ts'
import { findSame } from '../../src/store/sql/work/enqueue.ts'
import { expireLeases } from '../../src/store/sql/work/expire-leases.ts'
import { settleLane } from '../../src/store/sql/work/lane.ts'
import { hour, idOf, jobSpec, newExecution, t0 } from '../store/builders.ts'
import { type Bench } from '../store/conformance/store-under-test.ts'
import { postgresFile } from '../store/postgres-store.ts'
import { onServer } from './on-server.ts'

const postgresUrl = inject('postgresUrl')
const hot = hotScripts()
const job = { id: idOf('job-a'), spec: jobSpec(), chainYields: 0 }
const expire = { now: t0 + hour, limit: 100, random: () => 0.5 }
const keyed = newExecution('keyed', 'a', { uniqueKey: 'k' })
const claim = {
  queue: 'default',
  now: t0,
  readyBy: t0,
  nodeId: 'n1',
  limit: 10,
  start: 10,
  leaseMs: 30_000,
} as const

/** For each index, who needs it. */
const needs: Readonly<Record<string, () => Script<unknown>>> = {
  live_executions_pkey: () => listExecutions({ limit: 10 }),
  live_executions_id: () => findExecution(idOf('e1')),
  live_executions_tick: () => recentTicks([job.id], 10),
  live_executions_unique: () => findSame([keyed], new Map()),
  live_executions_claim: () => hot.claimExecutions(claim),
  live_executions_lease: () => expireLeases(expire, hot),
  live_executions_lane: () => countHealth(t0),
  live_executions_blocked: () => settleLane(job, t0),
  live_executions_deadline: () => expireLeases(expire, hot),
  live_executions_job: () => listExecutions({ limit: 10, job: job.id }),
  finished_executions_pkey: () => listExecutions({ limit: 10 }),
  finished_executions_id: () => findExecution(idOf('e1')),
  finished_executions_tick: () => recentTicks([job.id], 10),
  finished_executions_job: () => jobRuns(job.id, 10),
  finished_executions_failed: () =>
    matchingNames({ terms: [{ by: 'last', values: ['failed'], negated: false }], now: t0 }, 10),
}

async function fill({ hand, store, sql }: Bench): Promise<void> {
  const names = ['a', ...Array.from({ length: 49 }, (_, n) => `other-${n}`)]
  for (const name of names) await hand.create(name, jobSpec())
  const numbers = Array.from({ length: 5_000 }, (_, n) => n)
  await store.work.enqueueExecutions(numbers.map((n) => newExecution(`e${n}`, names[n % 50] ?? '')))
  await sql(`UPDATE @job_executions SET state = 'completed' WHERE seq > 2500`)
  await sql('ANALYZE')
}

/** The plans of a script's statements; each is answered by what it would have found, so that all of them are asked. */
async function plansOf({ sql }: Bench, script: Script<unknown>): Promise<string> {
  const plans: string[] = []
  let step = script.next()
  while (!step.done) {
    if (isInsert(step.value)) throw new Error('A read inserts.')
    const text = filledIn(step.value.text, step.value.params)
    // Of a few rows, all are sooner read than found: only whether the index serves the statement is asked.
    plans.push(JSON.stringify(await sql(`EXPLAIN ${text}`)))
    step = script.next(answerTo(step.value.text) as Row[] & number)
  }
  return plans.join('\n')
}

function answerTo(text: string): Row[] {
  if (/k\.holder/.test(text))
    return [{ holder: 'n1', fence: 1, expires_at: t0 + hour, last_heartbeat: '2027-01-01 00:00:00' }]
  if (/FROM @jobs WHERE .*LIMIT 1/.test(text)) return [{ id: job.id }]
  if (/ORDER BY cause LIMIT 1/.test(text)) return [{ id: idOf('e1') }]
  return []
}

/** Both kinds of marks, with their values. */
function filledIn(text: string, params: readonly Param[]): string {
  const left = [...params]
  return text
    .replaceAll(/\$(\d+)/g, (_, number: string) => literal(params[Number(number) - 1] ?? null))
    .replaceAll(/\?\*|\?(?:::bigint)?/g, () => literal(left.shift() ?? null))
}

function literal(param: Param): string {
  if (param === null) return 'NULL'
  if (typeof param === 'number') return String(param)
  if (typeof param === 'string') return `'${param}'`
  return param.length === 0 ? '(NULL)' : `(${param.map(literal).join(', ')})`
}

test.skipIf(postgresUrl === null)(
  'each index of the executions has a read that needs it, and no read goes without',
  onServer(
    () => postgresFile(postgresUrl ?? ''),
    async (bench) => {
      await fill(bench)
      const found = await bench.sql(
        `SELECT indexname AS name FROM pg_indexes
         WHERE schemaname = 'evertick' AND tablename IN ('live_executions', 'finished_executions')`,
      )
      expect(found.map(({ name }) => String(name)).toSorted()).toEqual(Object.keys(needs).toSorted())
      await bench.sql('SET enable_seqscan = off')
      for (const [index, read] of Object.entries(needs)) {
        expect([index, (await plansOf(bench, read())).includes(index)]).toEqual([index, true])
      }
    },
  ),
)
