/** `/metrics`: who may read it, what it counts, and that documents, dashboard and alerts name what is there. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../scripts/run-command.ts'
import { openAccess } from '../../src/app/access/open-access.ts'
import { contextOf } from '../../src/app/app-context.ts'
import { apiConfig } from '../../src/app/config/api-config.ts'
import { apiFromEnvironment } from '../../src/app/config/environment.ts'
import { createApi } from '../../src/http/api.ts'
import { type AnyJob, defineJob, Evertick, outcome } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'
import { readPage, tableAfter } from '../docs/markdown.ts'
import { until } from '../process/until.ts'
import { openNode, quiet } from '../promises/support.ts'
import { requestOf, secret } from './api-under-test.ts'

const minutely = defineJob({
  name: 'minutely',
  schedule: { every: '1m', anchor: 'epoch' },
  run: () => 'done',
})
const broken = defineJob({
  name: 'broken',
  retry: { attempts: 1 },
  run: () => {
    throw new Error('on purpose')
  },
})

async function openMetrics({
  metricsPublic = false,
  jobs = [minutely, broken],
  clock = new ManualClock('2026-01-01T00:00:00Z'),
}: {
  metricsPublic?: boolean
  jobs?: readonly AnyJob[]
  clock?: ManualClock
} = {}) {
  const node = await openNode({ jobs, clock })
  const { evertick } = node
  const access = openAccess(contextOf(evertick), apiConfig({ secrets: [secret] }))
  const api = createApi({
    evertick,
    app: contextOf(evertick),
    access,
    logger: quiet,
    hosts: null,
    metricsPublic,
  })
  onTestFinished(() => api.close())
  const { token } = await access.createToken({ role: 'viewer' })
  const scrape = async (given: { token?: string } = { token }) =>
    await api(requestOf('GET', '/metrics', given))
  const text = async () => await (await scrape()).text()
  return { node, evertick, scrape, text }
}

/** The value of one row, as it is written. */
function valueOf(text: string, row: string): string | undefined {
  return text
    .split('\n')
    .find((line) => line.startsWith(`${row} `))
    ?.slice(row.length + 1)
}

const namesIn = (text: string) => [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name ?? '')

test('a token is needed, unless the server was told otherwise', async () => {
  const shut = await openMetrics()
  expect((await shut.scrape({})).status).toBe(401)
  const answer = await shut.scrape()
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  const open = await openMetrics({ metricsPublic: true })
  expect((await open.scrape({})).status).toBe(200)
})

test('the environment opens the metrics by a plain word only', () => {
  const isPublic = (word: string) => apiFromEnvironment({ EVERTICK_METRICS_PUBLIC: word }).metricsPublic
  expect(['true', '1', 'false', '0', ''].map(isPublic)).toEqual([true, true, false, false, false])
  expect(() => isPublic('ture')).toThrow('EVERTICK_METRICS_PUBLIC is "ture"; it must be true or false.')
})

test('ticks, lateness and executions are counted as they happen', async () => {
  const { node, evertick, text } = await openMetrics()
  await node.advance('5m')
  await evertick.enqueue('broken')
  await node.advance('1s')
  const shown = await text()
  const rows = [
    'evertick_ticks_total{account="fired",reason="none"}',
    'evertick_tick_lateness_seconds_count{cause="schedule"}',
    'evertick_tick_lateness_seconds_bucket{le="0.01",cause="schedule"}',
    'evertick_executions_total{job="minutely",state="completed"}',
    'evertick_execution_duration_seconds_count{job="minutely"}',
    'evertick_executions_total{job="broken",state="failed"}',
  ]
  expect(rows.map((row) => valueOf(shown, row))).toEqual(['5', '5', '5', '5', '5', '1'])
})

test('a tick is late once: what comes back from a sleep or a snooze is not late again', async () => {
  const every = { every: '1h', anchor: 'epoch' } as const
  const sleeper = defineJob({
    name: 'sleeper',
    schedule: every,
    run: async (ctx) => await ctx.sleep('a while', '20m'),
  })
  let snoozes = 0
  const snoozer = defineJob({
    name: 'snoozer',
    schedule: every,
    run() {
      snoozes += 1
      return snoozes === 1 ? outcome.snooze('20m') : 'done'
    },
  })
  const { node, text } = await openMetrics({ jobs: [sleeper, snoozer] })
  await node.advance('90m')
  const shown = await text()
  expect(valueOf(shown, 'evertick_executions_total{job="sleeper",state="completed"}')).toBe('1')
  expect(valueOf(shown, 'evertick_executions_total{job="snoozer",state="completed"}')).toBe('1')
  expect(valueOf(shown, 'evertick_tick_lateness_seconds_count{cause="schedule"}')).toBe('2')
  expect(valueOf(shown, 'evertick_tick_lateness_seconds_sum{cause="schedule"}')).toBe('0')
})

test('a tick whose claim was given back before it began is as late as it then begins', async () => {
  const { node, evertick, text } = await openMetrics({ jobs: [minutely] })
  const { store, clock, nodeId } = contextOf(evertick)
  await evertick.queues.pause('default')
  await node.advance('80s')
  const by = { now: clock.now(), actor: 'ann', origin: 'test' }
  const reserve = { nodeId, queue: 'default', limit: 1, start: 0, leaseMs: 30_000 }
  const now = clock.now()
  // In one turn, so that nobody else claims in between.
  const [, { claimed }] = await Promise.all([
    store.cluster.resumeQueue('default', by),
    store.work.claimExecutions({ ...reserve, now, readyBy: now }),
  ])
  expect(claimed).toHaveLength(1)
  await store.work.releaseClaims(claimed, now)
  await node.advance('10s')
  const shown = await text()
  expect(valueOf(shown, 'evertick_executions_total{job="minutely",state="completed"}')).toBe('1')
  expect(valueOf(shown, 'evertick_tick_lateness_seconds_bucket{le="15",cause="schedule"}')).toBe('0')
  expect(valueOf(shown, 'evertick_tick_lateness_seconds_count{cause="schedule"}')).toBe('1')
})

test('skipped ticks have their reason', async () => {
  const clock = new ManualClock('2026-01-01T00:00:00Z')
  const slow = defineJob({ name: 'slow', schedule: { every: '1m' }, run: () => clock.sleep(150_000) })
  const { node, text } = await openMetrics({ jobs: [slow], clock })
  await node.advance('3m')
  const shown = await text()
  expect(valueOf(shown, 'evertick_ticks_total{account="fired",reason="none"}')).toBe('1')
  expect(valueOf(shown, 'evertick_ticks_total{account="skipped",reason="overlap"}')).toBe('2')
})

test('a node over HTTP counts from its first tick on, before its port is open', async () => {
  const evertick = await Evertick.open({
    database: 'sqlite::memory:',
    jobs: [defineJob({ name: 'past', schedule: { at: new Date(0) }, catchUp: 'latest', run: () => null })],
    roles: ['scheduler', 'worker', 'api'],
    logger: quiet,
    api: { port: 0, secrets: [secret], metricsPublic: true },
  })
  onTestFinished(() => evertick.stop({ timeout: 0 }))
  await evertick.start()
  const text = async () => await (await fetch(`${evertick.url}/metrics`)).text()
  await until('the run', async () =>
    (await text()).includes('evertick_executions_total{job="past",state="completed"} 1'),
  )
  expect(await text()).toContain('evertick_elections_total 1')
})

test('figures of the database are read anew after five seconds, not before', async () => {
  const { node, evertick, text } = await openMetrics()
  const jobs = 'evertick_jobs{state="active"}'
  expect(valueOf(await text(), jobs)).toBe('2')
  await evertick.jobs.pause('broken')
  expect(valueOf(await text(), jobs)).toBe('2')
  await node.advance('6s')
  const shown = await text()
  expect(valueOf(shown, jobs)).toBe('1')
  expect(valueOf(shown, 'evertick_jobs{state="paused"}')).toBe('1')
  expect(valueOf(shown, 'evertick_database_up')).toBe('1')
  expect(valueOf(shown, 'evertick_cursor_lag_seconds')).toBe('0')
  expect(valueOf(shown, 'evertick_leader_term')).toBe('1')
})

test('jobs are counted by how they do, not only by their state', async () => {
  const { node, evertick, text } = await openMetrics()
  await evertick.jobs.trigger('broken')
  await evertick.jobs.create({ name: 'orphan', handler: 'nobody' })
  await node.advance('6s')
  const shown = await text()
  const health = (state: string) => valueOf(shown, `evertick_jobs_health{health="${state}"}`)
  expect(['ok', 'late', 'failing', 'disabled', 'never_ran', 'unknown'].map(health)).toEqual([
    '0',
    '0',
    '1',
    '1',
    '1',
    '0',
  ])
})

test('what rests is no backlog: it has figures of its own', async () => {
  const job = defineJob({ name: 'rests', run: async (ctx) => await ctx.sleep('a while', '1d') })
  const { node, evertick, text } = await openMetrics({ jobs: [job] })
  await evertick.enqueue(job)
  await node.advance('6s')
  const shown = await text()
  const figure = (state: string) =>
    valueOf(shown, `evertick_queue_executions{queue="default",state="${state}"}`)
  expect(['pending', 'running', 'blocked', 'sleeping', 'waiting'].map(figure)).toEqual([
    '0',
    '0',
    '0',
    '1',
    '0',
  ])
})

test('looks, claims and waits for locks are timed, each as often as it happens', async () => {
  const { node, evertick, text } = await openMetrics()
  await evertick.locks.acquire('l', { ttl: '1m' })
  expect(await evertick.locks.acquire('l', { ttl: '1m' })).toBeNull()
  await node.advance('2m')
  const shown = await text()
  const count = (name: string) => Number(valueOf(shown, `evertick_${name}_seconds_count`))
  expect(count('lock_wait')).toBe(2)
  expect(count('claim_duration')).toBeGreaterThan(0)
  expect(count('poll_duration')).toBeGreaterThan(0)
})

test('the last audit has its finding and its age, and before it there is neither', async () => {
  const { node, evertick, text } = await openMetrics()
  const figures = async () => {
    const shown = await text()
    return ['evertick_ticks_unaccounted', 'evertick_audit_age_seconds'].map((row) => valueOf(shown, row))
  }
  expect(await figures()).toEqual([undefined, undefined])
  await evertick.audit()
  expect(await figures()).toEqual(['0', '0'])
  await node.advance('90s')
  expect(await figures()).toEqual(['0', '90'])
})

test('beyond 100 jobs the label is shared', async () => {
  const jobs = Array.from({ length: 103 }, (_, at) => defineJob({ name: `job-${at}`, run: () => null }))
  const { node, evertick, text } = await openMetrics({ jobs })
  for (const job of jobs) await evertick.enqueue(job.name)
  await node.advance('10s')
  const shown = await text()
  expect(valueOf(shown, 'evertick_executions_total{job="other",state="completed"}')).toBe('3')
  expect(shown.match(/^evertick_executions_total\{/gm)).toHaveLength(101)
})

test('monitoring.md lists every metric with its labels', async () => {
  const { text } = await openMetrics()
  const shown = await text()
  const own = namesIn(shown).filter((name) => name.startsWith('evertick_'))
  const rows = tableAfter(readPage('docs/operations/monitoring.md'), '## Metrics')
  expect(rows.map(([name = '']) => name).toSorted()).toEqual(own.toSorted())
})

test.each(['deploy/grafana/evertick.json', 'deploy/prometheus/alerts.yml'])(
  'every metric that %s names is there',
  async (file) => {
    const { text } = await openMetrics()
    const known = new Set(namesIn(await text()))
    const written = readFileSync(join(root, file), 'utf8')
    const named = [...written.matchAll(/\b(?:evertick|process|nodejs)_\w+/g)].map(([name]) =>
      name.replace(/_(?:bucket|sum|count)$/, ''),
    )
    expect(named.length).toBeGreaterThan(8)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  },
)
