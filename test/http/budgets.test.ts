/** No caller holds the event loop: what comes in is small before it is looked at, and what is read is read in slices. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { TickSequence } from '../../src/core/schedule/schedule.ts'
import type * as spec from '../../src/core/schedule/schedule-spec.ts'
import { allRoutes } from '../../src/http/all-routes.ts'
import { bodyLimits } from '../../src/http/guard/json-body.ts'
import { until } from '../process/until.ts'
import { openApiUnderTest } from './api-under-test.ts'

/** Elements that one turn of the event loop may see: rows that are read, and instants that are visited. */
const budget = 5_000

let instants = 0

vi.mock('../../src/core/schedule/schedule-spec.ts', async (importOriginal) => {
  const original = await importOriginal<typeof spec>()
  const counted = (sequence: TickSequence): TickSequence => ({
    next: (instant) => {
      instants += 1
      return sequence.next(instant)
    },
    previous: (instant) => {
      instants += 1
      return sequence.previous(instant)
    },
    count: (from, to) => sequence.count(from, to),
  })
  return {
    ...original,
    sequenceOf: (...given: Parameters<typeof original.sequenceOf>) => counted(original.sequenceOf(...given)),
  }
})

/** The most that any turn of the event loop has seen while the work lasted. */
async function mostInOneTurn(work: () => Promise<void>): Promise<number> {
  const reads = vi.spyOn(StatementSync.prototype, 'all')
  instants = 0
  let most = 0
  let working = true
  const turn = () => {
    const rows = reads.mock.results.reduce((sum, { value }) => sum + (value as unknown[]).length, 0)
    most = Math.max(most, rows + instants)
    instants = 0
    reads.mockClear()
    if (working) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  working = false
  turn()
  reads.mockRestore()
  return most
}

const t0 = Date.parse('2026-01-01T00:00:00Z')
const ticks = 12_000
const dense = 'dense'

/** A job whose every second tick has an execution and every other a range, and a crowd of jobs beside it. */
function fill(file: string): void {
  const database = new DatabaseSync(file)
  const begin = t0 - ticks * 1_000
  const numbers = (count: number) =>
    `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${count})`
  const id = (kind: 'e' | 'c') => `printf('${kind}0000000-0000-7000-8000-%012d', n)`
  const own = `(SELECT id FROM evertick_jobs WHERE name = '${dense}')`
  const columns = database
    .prepare(`SELECT name FROM pragma_table_info('evertick_jobs') WHERE name NOT IN ('id', 'name')`)
    .all()
    .map(({ name }) => String(name))
    .join(', ')
  database.exec(`
    UPDATE evertick_jobs SET created_at = ${begin}, ledger_from = ${begin}, accounted_until = ${t0} WHERE name = '${dense}';
    UPDATE evertick_job_revisions SET from_at = ${begin} WHERE job_id = ${own};
    ${numbers(ticks / 2)} INSERT INTO evertick_job_executions (id, job_id, cause, tick_at, account, scheduled_for, state, ready_at,
        queue, priority, handler, max_attempts, created_at, started_at, finished_at)
      SELECT ${id('e')}, ${own}, 'schedule', ${begin} + n * 2000, 'fired', 0, 'completed', 0,
        'default', 0, 'x', 1, ${begin} + n * 2000, ${begin} + n * 2000, ${begin} + n * 2000 + 5 FROM numbers;
    ${numbers(ticks / 2)} INSERT INTO evertick_tick_ranges (job_id, from_at, to_at, count, account, reason, revision, tz_version, created_at)
      SELECT ${own}, ${begin} + n * 2000 + 1000, ${begin} + n * 2000 + 1000, 1, 'skipped', 'overlap', 1, 'a', ${begin} + n * 2000 FROM numbers;
    ${numbers(2_000)} INSERT INTO evertick_jobs (id, name, ${columns})
      SELECT ${id('c')}, 'copy-' || n, ${columns} FROM numbers CROSS JOIN evertick_jobs j WHERE j.name = 'minutely';`)
  database.close()
}

const from = new Date(t0 - ticks * 1_000).toISOString()
const [past, toCome] = [
  `from=${from}&to=2026-01-01T00:00:00Z`,
  'from=2026-01-01T00:00:00Z&to=2026-01-31T00:00:00Z',
]
const cron = { cron: '0 0 29 2 1', timezone: 'Europe/Madrid' }
const copies = Array.from({ length: 2_000 }, (_, n) => ({ name: `copy-${n}`, priority: 1 }))
/** Each route that reads much, and the most that it can be asked for. */
const asked: Readonly<Record<string, readonly [path: string, json?: unknown]>> = {
  '/audit': ['/audit'],
  '/audit-log/verify': ['/audit-log/verify'],
  '/scheduler/metrics': ['/scheduler/metrics'],
  '/jobs/{id}/ticks': [`/jobs/${dense}/ticks?${past}&limit=10000`],
  '/jobs/{id}/ticks/newest': [`/jobs/${dense}/ticks/newest?limit=1000`],
  '/jobs/{id}/upcoming': ['/jobs/minutely/upcoming?count=1000'],
  '/jobs/{id}/stats': [`/jobs/${dense}/stats`],
  '/jobs/{id}/heatmap': [`/jobs/${dense}/heatmap?${past}&timezone=Asia/Kathmandu`],
  '/overview': ['/overview'],
  '/activity': [`/activity?${past}&buckets=500`],
  '/forecast': [`/forecast?${toCome}&buckets=500`],
  '/timeline': [`/timeline?${past}&limit=2000`],
  '/schedules/preview': ['/schedules/preview', { schedule: cron, count: 1_000 }],
  '/jobs/convert': ['/jobs/convert', { dryRun: true }],
  '/export/crontab': ['/export/crontab'],
  '/export/jobs': ['/export/jobs?limit=200'],
  '/sources': ['/sources?limit=200'],
  '/secrets': ['/secrets'],
  '/secrets/rotate': ['/secrets/rotate', undefined],
  '/jobs/apply': ['/jobs/apply', { name: 'copies', jobs: copies, adopt: true, dryRun: true }],
}
const heavy = allRoutes.filter((route) => route.heavy === true)

async function openFilled() {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-budgets-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'test.db')
  const api = await openApiUnderTest({ database: `sqlite:${file}` })
  await api.call('POST', '/api/v1/jobs', {
    name: dense,
    schedule: { every: '1s', anchor: 'epoch' },
    paused: true,
  })
  fill(file)
  return api
}

describe('elements', () => {
  test('no route sees more than its budget of them in one turn of the event loop', async () => {
    const api = await openFilled()
    expect(heavy.map(({ path }) => path).toSorted()).toEqual(Object.keys(asked).toSorted())
    for (const { method, path } of heavy) {
      const [place, json] = asked[path] ?? []
      let status = 0
      const most = await mostInOneTurn(async () => {
        status = (await api.call(method.toUpperCase(), `/api/v1${place}`, json)).status
      })
      expect([path, status, most <= budget ? 'within' : most]).toEqual([path, 200, 'within'])
    }
  })

  test('what is read in slices is the same as what is read at once', async () => {
    const api = await openFilled()
    const audit = await api.call('GET', '/api/v1/audit')
    expect(audit.json).toMatchObject({ executions: ticks / 2, ranges: ticks / 2, unaccounted: 0, doubled: 0 })
    const { json } = await api.call('GET', `/api/v1/jobs/${dense}/ticks?${past}&limit=10000`)
    const found = json as { ticks: { scheduledFor: string; account: string }[]; ranges: unknown[] }
    expect([found.ticks.length, json.truncated, json.unaccounted]).toEqual([10_000, true, 0])
    expect(found.ranges.length).toBe(ticks / 2)
    const wrong = found.ticks.filter(
      ({ scheduledFor, account }, index) =>
        scheduledFor !== new Date(Date.parse(from) + index * 1_000).toISOString() ||
        account !== (index % 2 === 0 ? 'fired' : 'skipped'),
    )
    expect(wrong).toEqual([])
    const days = (await api.call('GET', `/api/v1/jobs/${dense}/heatmap?${past}`)).json.days
    const hours = (days as { hours: { ran: number; skipped: number }[] }[]).flatMap((day) => day.hours)
    const sum = (name: 'ran' | 'skipped') => hours.reduce((all, hour) => all + hour[name], 0)
    expect([sum('ran'), sum('skipped')]).toEqual([ticks / 2, ticks / 2])
    const { json: activity } = await api.call('GET', `/api/v1/activity?${past}&buckets=500`)
    const buckets = activity.buckets as { completed: number; skipped: number }[]
    expect(buckets.reduce((all, bucket) => all + bucket.completed, 0)).toBe(ticks / 2)
    expect(buckets.reduce((all, bucket) => all + bucket.skipped, 0)).toBe(ticks / 2)
  })

  test('a body with more of them than its route expects is refused before anything looks at it', async () => {
    const api = await openApiUnderTest()
    const taking = allRoutes.filter(({ method }) => method === 'post' || method === 'patch')
    for (const { method, fullPath, takes = 'little' } of taking) {
      const { bytes, elements } = bodyLimits[takes]
      const place = fullPath.replaceAll(/\{\w+\}/g, 'greet')
      const send = async (body: string) =>
        (
          await api.send(method.toUpperCase(), place, {
            token: api.tokens.admin,
            body,
            headers: { 'content-type': 'application/json' },
          })
        ).status
      expect([fullPath, await send(' '.repeat(bytes + 1))]).toEqual([fullPath, 413])
      // Plain text has no elements.
      if (takes === 'text') continue
      const many = `{"schedule":[${'0,'.repeat(elements)}0]}`
      expect([fullPath, await send(many)]).toEqual([fullPath, 413])
    }
  })

  test('a viewer can send only little, whatever it asks for', () => {
    const open = allRoutes.filter(({ role }) => role === 'viewer' || role === 'public')
    // A check-in may say in plain text what has failed.
    const told = open.filter(({ takes = 'little' }) => takes !== 'little')
    expect(told.map(({ takes, fullPath }) => `${takes} ${fullPath.slice(0, 6)}`)).toEqual(
      told.map(() => 'text /ping/'),
    )
    expect(bodyLimits.little.bytes).toBeLessThanOrEqual(8_192)
    expect(bodyLimits.text.bytes).toBeLessThanOrEqual(1_048_576)
  })
})

test('of one caller sixteen long reads are under way; the next hears when to come back, another caller nothing', async () => {
  const api = await openApiUnderTest()
  const { reports } = api.node.evertick
  const { overview } = { overview: reports.overview.bind(reports) }
  const held = Promise.withResolvers<void>()
  let underWay = 0
  reports.overview = async () => {
    underWay += 1
    await held.promise
    return await overview()
  }
  const ask = async (path: string, token: string) => await api.send('GET', `/api/v1${path}`, { token })
  const { viewer, operator } = api.tokens
  const crowd = Array.from({ length: 16 }, () => ask('/overview', viewer))
  const range = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z'
  await until('all are under way', () => underWay === 16)
  expect((await ask(`/forecast?${range}`, viewer)).status).toBe(429)
  expect((await ask(`/forecast?${range}`, viewer)).headers.get('retry-after')).toBe('1')
  expect((await ask(`/forecast?${range}`, operator)).status).toBe(200)
  expect((await ask('/jobs', viewer)).status).toBe(200)
  held.resolve()
  expect((await Promise.all(crowd)).map(({ status }) => status)).toEqual(crowd.map(() => 200))
  expect((await ask(`/forecast?${range}`, viewer)).status).toBe(200)
})
