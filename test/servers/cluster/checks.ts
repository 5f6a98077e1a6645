/** What must hold when a storm is over, by the tables and files alone. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { AuditResult } from '../../../src/index.ts'
import { brokenLimits, expectNoOverlap } from '../../process/scene.ts'
import { CallRules } from '../../simulation/check/call-rules.ts'
import type { ExecutionRow } from '../../simulation/check/change-log.ts'
import { Model } from '../../simulation/check/model.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterNode, Span } from './cluster-node.ts'
import type { OrderStream } from './order-stream.ts'

/** The proof of the installed package itself. */
export async function expectCleanAudit(cluster: Cluster, jobs: number): Promise<AuditResult> {
  const audit = JSON.parse(await cluster.evertick('audit', '--json')) as AuditResult
  expect(audit).toMatchObject({ ok: true, jobs, unaccounted: 0, doubled: 0, unverifiable: 0, findings: [] })
  return audit
}

/** Nothing acknowledged is lost, and what was written through `ctx.transaction` is there once. */
export async function expectOrdersOnce(cluster: Cluster, stream: OrderStream): Promise<void> {
  const ids = async (text: string) => (await cluster.rows(text)).map(({ id }) => String(id)).toSorted()
  const completed = (handler: string) =>
    ids(`SELECT id FROM @job_executions WHERE handler = '${handler}' AND state = 'completed'`)
  expectWritten([...stream.orders.map(({ id }) => id), ...stream.effects], await cluster.rows(executionsText))
  const orders = await cluster.rows('SELECT number, execution_id AS id FROM orders ORDER BY number')
  expect(orders.filter(({ number }) => !stream.unsure.has(Number(number)))).toEqual(stream.orders)
  expect(await ids('SELECT execution_id AS id FROM orders')).toEqual(await completed('order'))
  expect(new Set(orders.map(({ number }) => number)).size).toBe(orders.length)
  expect(await ids('SELECT execution_id AS id FROM booked')).toEqual(await completed('booked'))
  expect(await cluster.count(`@job_executions WHERE state = 'failed'`)).toBe(0)
  const effects = new Set(await completed('effect'))
  expect(stream.effects.filter((id) => !effects.has(id))).toEqual([])
}

const executionsText = 'SELECT id, job_id, state, unique_key FROM @job_executions'

/** By the rule that every answer of the store is held against in the simulation and by the explorer. */
function expectWritten(ids: readonly string[], rows: readonly object[]): void {
  const model = new Model()
  for (const row of rows)
    model.apply({ table: 'execution', writer: '', before: null, after: row as ExecutionRow })
  const enqueued = ids.map((id) => ({ id, created: true }))
  new CallRules(model).answered('enqueueExecutions', [enqueued], enqueued)
}

/** Outside the database it is at least once: once per counted attempt at most. */
export async function expectEffectsPerAttempt(cluster: Cluster, stream: OrderStream): Promise<number> {
  const written = readFileSync(join(cluster.folder, 'effects'), 'utf8').split('\n').slice(0, -1)
  expect(new Set(written).size).toBe(written.length)
  const touched = new Set(written.map((line) => line.split(' ')[0]))
  expect(stream.effects.filter((id) => !touched.has(id))).toEqual([])
  for (const text of brokenLimits) expect(await cluster.rows(text)).toEqual([])
  return written.length
}

/** The leader log tells the story: who led when, never two at once, and the last one has taken its leave. */
export async function expectTermsInOrder(cluster: Cluster): Promise<number> {
  const terms = await cluster.rows('SELECT * FROM @scheduler_leader_log ORDER BY id')
  expectNoOverlap(terms)
  expect(new Set(terms.map(({ leader_instance }) => leader_instance)).size).toBeGreaterThan(1)
  expect(terms.at(-1)).toEqual({ ...terms.at(-1), stop_time: expect.anything() as unknown })
  expect(await cluster.rows('SELECT * FROM @locks')).toEqual([])
  return terms.length
}

/** Where the database was away, or the process itself, a node may say so; for a while longer than that. */
const aftermathMs = 10_000
const isUsual =
  /^(?:Lease of .* expired; it was held by |Waiting for the lead, held by |Taking the lead from |.* failed, attempt \d+ of \d+, )/
/** Some of the thousand jobs do not catch up: what came due while nobody led is skipped, and the leader must say so. */
const isMissed =
  /^(?:Alert opened: .* came due while nobody led, and w|\d+ alerts of the rule missed opened: )/
const isCutOff = /^The database .* cannot be reached\.$/

export function expectExpectedWords(nodes: readonly ClusterNode[], outages: readonly Span[]): void {
  const unexpected = nodes.flatMap(({ pid, logged, stops }) =>
    logged
      .filter(({ time: at, level, msg, error }) => {
        if (level === 'warn' && (isUsual.test(msg) || isMissed.test(msg))) return false
        const time = Date.parse(at)
        const excused = [...outages, ...stops].some(
          ({ from, to }) => time >= from && time <= to + aftermathMs,
        )
        return !(
          level === 'warn' &&
          excused &&
          msg.startsWith('Could not ') &&
          isCutOff.test(error?.message ?? '')
        )
      })
      .map((logged) => ({ pid, ...logged })),
  )
  expect(unexpected).toEqual([])
  expect(nodes.flatMap(({ words }) => words)).toEqual([])
}
