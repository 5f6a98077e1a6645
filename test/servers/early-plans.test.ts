/**
 * PostgreSQL keeps a plan, also one that was made while a table was empty. What is asked for every run and every tick must
 * go by an index then, too: else a burst that follows is compared row by row with each batch.
 */
import { expect, inject, test } from 'vitest'
import { hotScripts } from '../../src/store/postgres/hot.ts'
import { planOnce } from '../../src/store/postgres/plans.ts'
import { holdLanes } from '../../src/store/sql/jobs/lock-job.ts'
import { isInsert, type Script, type Statement } from '../../src/store/sql/runtime/script.ts'
import { idOf, t0 } from '../store/builders.ts'
import { postgresFile } from '../store/postgres-store.ts'
import { onServer } from './on-server.ts'

const postgresUrl = inject('postgresUrl')
const hot = hotScripts()
const claim = { id: idOf('e1'), fence: 1 }
const crash = {
  attempt: 1,
  state: 'retrying',
  error: null,
  readyAt: t0,
  finishedAt: null,
  startedAt: t0,
} as const

const asked: Readonly<Record<string, () => Script<unknown>>> = {
  claimExecutions: () =>
    hot.claimExecutions({
      queue: 'default',
      now: t0,
      readyBy: t0,
      nodeId: 'n1',
      limit: 10,
      start: 10,
      leaseMs: 1,
    }),
  extendLeases: () => hot.extendLeases({ claims: [claim], leasedUntil: t0, now: t0 }),
  startClaims: () => hot.startClaims([claim], t0),
  completeAttempts: () =>
    hot.completeAttempts([{ ...claim, jobId: idOf('job-a'), result: null, finishedAt: t0, startedAt: t0 }]),
  crashAttempts: () => hot.crashAttempts([{ ...claim, ...crash }]),
  holdLanes: () => holdLanes([idOf('job-a')]),
}

/** The first statement of a script, as a server is sent it. */
function firstOf(script: Script<unknown>): Statement {
  const { value, done } = script.next()
  if (done === true || isInsert(value)) throw new Error('It asks nothing.')
  return value
}

/** `?` in order, as `$1` and so on; a list is an array. */
function prepared(text: string): string {
  let count = 0
  return text.replaceAll('IN ?*', '= ANY(?)').replaceAll('?', () => `$${(count += 1)}`)
}

test.skipIf(postgresUrl === null)(
  'a plan that was made on empty tables looks up one key after the other',
  onServer(
    () => postgresFile(postgresUrl ?? ''),
    async ({ sql }) => {
      await sql('VACUUM (ANALYZE)')
      await sql(planOnce)
      for (const [name, script] of Object.entries(asked)) {
        const { text, params } = firstOf(script())
        await sql(`PREPARE "${name}" AS ${prepared(text)}`)
        const plan = await sql(`EXPLAIN EXECUTE "${name}" (${params.map(() => 'NULL').join(', ')})`)
        const lines = plan.map((row) => String(Object.values(row)[0]))
        const scans = lines.filter((line) => /Seq Scan on (live_executions|jobs)\b/.test(line))
        expect([name, scans]).toEqual([name, []])
        // Where a table is looked up by the rows of a batch, there is nothing left to compare.
        const compared = lines.filter((line) => /Join Filter:.*\b(id|seq)\b/.test(line))
        expect([name, compared]).toEqual([name, []])
      }
    },
  ),
)
