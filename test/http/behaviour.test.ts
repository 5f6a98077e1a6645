/** Every route does what its summary says, on a real node, and every success is what its schema promises. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allRoutes } from '../../src/http/all-routes.ts'
import { testAlerts } from './alerts-behaviour.ts'
import { type Answered, type ApiUnderTest, openApi } from './api-under-test.ts'
import { type Asking, asking } from './asking.ts'
import { testCheckIns } from './check-in-behaviour.ts'
import { testPullLeases } from './lease-behaviour.ts'
import { testSecrets } from './secret-behaviour.ts'
import { testSteps } from './steps-behaviour.ts'
import { testUpkeep } from './upkeep-behaviour.ts'
import { testWebhooks } from './webhook-behaviour.ts'

let api: ApiUnderTest
let ask: Asking['ask']
let reached: Asking['reached']

beforeAll(async () => {
  api = await openApi()
  ;({ ask, reached } = asking(api))
})
afterAll(() => api.node.stop())

test('a node says that it lives and is ready', async () => {
  for (const path of ['/livez', '/readyz', '/health']) expect((await ask('GET', path)).json.status).toBe('ok')
})

testAlerts(() => ({ api, ask }))

const elsewhere = new Set<string>()
testSecrets((routes) => routes.forEach((route) => elsewhere.add(route)))
testWebhooks((routes) => routes.forEach((route) => elsewhere.add(route)))
testCheckIns((routes) => routes.forEach((route) => elsewhere.add(route)))

test('a job is created, read, edited and deleted', async () => {
  const made = await ask('POST', '/jobs', {
    name: 'report',
    schedule: { cron: '0 9 * * 1-5', timezone: 'Europe/Madrid' },
    handler: { type: 'function', name: 'greet' },
    tags: ['money'],
    metadata: { team: 'a' },
  })
  expect([made.status, made.headers.get('location')]).toEqual([201, `/api/v1/jobs/${String(made.json.id)}`])
  const read = await ask('GET', '/jobs/report')
  expect(read.json).toEqual(made.json)
  expect(read.json).toMatchObject({
    status: 'scheduled',
    handler: { name: 'greet' },
    tags: ['money'],
    revision: 1,
  })
  expect((await ask('GET', `/jobs/${String(made.json.id)}`)).json.name).toBe('report')
  const edited = await ask('PATCH', '/jobs/report', { description: 'weekly', schedule: { every: '1h' } })
  expect(edited.json).toMatchObject({ revision: 2, description: 'weekly', tags: ['money'] })
  const { revisions } = (await ask('GET', '/jobs/report/revisions')).json as {
    revisions: { changedBy: string }[]
  }
  expect(revisions.map(({ changedBy }) => changedBy)).toEqual(['token:admin', 'token:admin'])
  expect((await ask('GET', '/jobs/report/upcoming?count=3')).json.upcoming).toHaveLength(3)
  expect((await ask('POST', '/jobs', { name: 'report' })).json).toMatchObject({
    status: 409,
    code: 'job_exists',
  })
  expect((await ask('DELETE', '/jobs/report')).status).toBe(204)
  expect((await ask('GET', '/jobs/report')).json).toMatchObject({ status: 404, code: 'job_not_found' })
})

test('a name with letters of its own is written as a URL writes them', async () => {
  for (const name of ['a/b', 'ein Bericht', 'a:b@c', 'größe', 'a..b', 'bulk']) {
    expect((await ask('POST', '/jobs', { name })).status).toBe(201)
    expect((await ask('GET', `/jobs/${encodeURIComponent(name)}`)).json.name).toBe(name)
    expect((await ask('DELETE', `/jobs/${encodeURIComponent(name)}`)).status).toBe(204)
  }
})

test('a job is paused with a reason, resumed, cancelled, and revived', async () => {
  await ask('POST', '/jobs', { name: 'p', schedule: { every: '1m' } })
  const until = new Date(api.node.clock.now() + 3_600_000).toISOString()
  const paused = await ask('POST', '/jobs/p/pause', { reason: 'maintenance', until })
  expect(paused.json).toMatchObject({
    status: 'paused',
    isPaused: true,
    pausedReason: 'maintenance',
    pausedUntil: until,
  })
  expect((await ask('POST', '/jobs/p/resume')).json).toMatchObject({ status: 'scheduled', isPaused: false })
  expect((await ask('POST', '/jobs/p/cancel')).json.status).toBe('cancelled')
  expect((await ask('POST', '/jobs/p/resume', { catchUp: 'skip' })).json.status).toBe('scheduled')
  await ask('DELETE', '/jobs/p')
})

test('a trigger runs now; its execution shows result, log and attempts', async () => {
  const { status, json } = await ask('POST', '/jobs/greet/trigger', {
    input: { name: 'anna' },
    metadata: { why: 'test' },
  })
  expect(status).toBe(202)
  await api.node.settle()
  const id = String(json.id)
  expect((await ask('GET', `/executions/${id}`)).json).toMatchObject({
    state: 'completed',
    cause: 'manual',
    result: { said: 'anna' },
    metadata: { why: 'test' },
    attempts: [{ attempt: 1, outcome: 'completed', usage: null }],
  })
  await api.node.advance('5s')
  expect((await ask('GET', `/executions/${id}/logs`)).json.logs).toMatchObject([{ message: 'hello anna' }])
  expect((await ask('GET', '/jobs/greet/executions?limit=1')).json.executions).toMatchObject([{ id }])
  // A function in the node was not watched.
  expect((await ask('GET', '/jobs/greet/usage?limit=10')).json).toEqual({ runs: [] })
  expect((await ask('GET', '/jobs/greet/usage?limit=1001')).status).toBe(400)
  expect((await ask('GET', '/jobs/greet/stats')).json).toMatchObject({
    total: 1,
    completed: 1,
    successRate: 1,
  })
  expect((await ask('GET', '/jobs/greet')).json.health).toEqual({
    state: 'ok',
    sentence: 'Its last run succeeded.',
  })
  expect((await ask('GET', `/executions/${id}/why`)).json).toMatchObject({ reason: 'completed' })
})

test('what failed is retried, by its job or by itself', async () => {
  const { json } = await ask('POST', '/jobs/break/trigger')
  await api.node.settle()
  expect((await ask('GET', '/jobs/break/why')).json).toMatchObject({
    reason: 'failing',
    sentence: expect.stringMatching(/^Its last run failed; /) as string,
  })
  const failing = (await ask('GET', '/jobs?filter=health:failing')).json.jobs
  expect(failing).toMatchObject([{ name: 'break', health: { state: 'failing', failures: 1 } }])
  const id = String(json.id)
  expect((await ask('GET', `/executions/${id}`)).json).toMatchObject({
    state: 'failed',
    error: { message: 'broken on purpose' },
  })
  const retry = (await ask('POST', '/jobs/break/retry')).json
  expect(retry.retryOf).toBe(id)
  // Sent again, it is the same one; and once that has failed, it is the one to retry.
  expect((await ask('POST', `/executions/${id}/retry`)).json.id).toBe(retry.id)
  await api.node.settle()
  const refused = await ask('POST', `/executions/${id}/retry`)
  expect([refused.status, refused.json.next]).toEqual([409, expect.stringContaining(String(retry.id))])
  expect((await ask('POST', `/executions/${String(retry.id)}/retry`)).json.retryOf).toBe(retry.id)
  await api.node.settle()
  expect((await ask('GET', '/executions?filter=job:break+state:failed')).json.executions).toHaveLength(3)
})

test('work is enqueued for later, and cancelled before it begins', async () => {
  const runAt = new Date(api.node.clock.now() + 3_600_000).toISOString()
  const made = await ask('POST', '/executions', { job: 'greet', input: { name: 'x' }, runAt, unique: 'once' })
  expect([made.status, made.json.created]).toEqual([201, true])
  expect((await ask('POST', '/executions', { job: 'greet', runAt, unique: 'once' })).json).toEqual({
    id: made.json.id,
    created: false,
  })
  expect((await ask('POST', `/executions/${String(made.json.id)}/cancel`)).json.state).toBe('cancelled')
  expect((await ask('POST', '/executions', { job: 'greet', input: { name: 1 } })).status).toBe(400)
})

test('ticks are told one by one, and done again on demand', async () => {
  const from = new Date(api.node.clock.now()).toISOString()
  await api.node.advance('5m')
  const to = new Date(api.node.clock.now() + 1).toISOString()
  const { ticks, unaccounted } = (await ask('GET', `/jobs/minutely/ticks?from=${from}&to=${to}`)).json as {
    ticks: { account: string }[]
    unaccounted: number
  }
  expect([ticks.filter(({ account }) => account === 'fired').length >= 5, unaccounted]).toEqual([true, 0])
  const span = { from, to: new Date(api.node.clock.now()).toISOString() }
  expect((await ask('POST', '/jobs/minutely/backfill', { ...span, dryRun: true })).json).toMatchObject({
    ticks: 5,
    created: 0,
  })
  expect((await ask('POST', '/jobs/minutely/backfill', { ...span, limit: 5 })).json).toMatchObject({
    ticks: 5,
    created: 5,
  })
  await api.node.advance('1m')
  expect((await ask('GET', '/audit')).json).toMatchObject({ ok: true, unaccounted: 0, doubled: 0 })
})

test('many jobs at once: a dry run counts, and changes nothing', async () => {
  for (const name of ['b1', 'b2', 'b3'])
    await ask('POST', '/jobs', { name, tags: ['many'], schedule: { every: '1h' } })
  const bulk = async (action: string, dryRun: boolean) =>
    (await ask('POST', '/jobs/bulk', { action, filter: 'tag:many', dryRun })).json
  expect(await bulk('pause', true)).toEqual({
    matched: 3,
    changed: 0,
    failed: [],
    first: ['b1', 'b2', 'b3'],
  })
  expect((await ask('GET', '/jobs?filter=tag:many+state:paused')).json.jobs).toEqual([])
  expect(await bulk('pause', false)).toEqual({ matched: 3, changed: 3, failed: [] })
  expect((await ask('GET', '/jobs?filter=tag:many+state:paused')).json.jobs).toHaveLength(3)
  expect(await bulk('delete', false)).toMatchObject({ changed: 3 })
  expect((await ask('GET', '/jobs?filter=tag:many&sort=name')).json.jobs).toEqual([])
})

testUpkeep(() => ({ api, ask }))

test('the whole is seen at a glance, and as pictures', async () => {
  await api.node.advance('5m')
  const now = api.node.clock.now()
  const [from, to] = [now - 3_600_000, now + 3_600_000].map((at) => new Date(at).toISOString())
  expect((await ask('GET', '/overview')).json).toMatchObject({
    health: { late: 0 },
    leader: { instance: api.node.evertick.nodeId },
    nodes: { alive: 1, stale: 0 },
  })
  const { buckets } = (await ask('GET', `/activity?from=${from}&to=${to}&buckets=1`)).json as {
    buckets: { completed: number }[]
  }
  expect(buckets).toHaveLength(1)
  expect(buckets[0]?.completed).toBeGreaterThan(5)
  const forecast = (await ask('GET', `/forecast?from=${from}&to=${to}`)).json
  expect(forecast).toMatchObject({ total: 60, jobs: [{ job: 'minutely', count: 60 }], truncated: false })
  const timeline = (await ask('GET', `/timeline?from=${from}&to=${to}&job=minutely&limit=2`)).json
  expect(timeline).toMatchObject({ runs: [{ job: 'minutely', state: 'completed' }, { cause: 'schedule' }] })
  const heatmap = (await ask('GET', `/jobs/minutely/heatmap?from=${from}&to=${to}&timezone=Asia/Kolkata`))
    .json
  expect(heatmap).toMatchObject({ job: 'minutely', timezone: 'Asia/Kolkata' })
  expect((await ask('GET', '/tags')).json.tags).toEqual([])
  expect(
    (await ask('POST', '/schedules/preview', { schedule: { cron: '0 9 * * *' }, count: 2 })).json,
  ).toMatchObject({
    description: 'At 09:00 (UTC)',
    warnings: [],
  })
  expect((await ask('GET', '/jobs/minutely/upcoming?count=1')).json).toMatchObject({
    description: 'Every 1 minute, aligned to the clock (UTC)',
    warnings: [],
  })
})

test('the cluster shows itself', async () => {
  const { leader } = (await ask('GET', '/leader')).json as { leader: { instance: string } }
  expect((await ask('GET', '/nodes')).json).toMatchObject({
    nodes: [{ id: leader.instance, leads: true }],
    handlers: expect.arrayContaining(['greet', 'minutely']) as string[],
  })
  expect((await ask('GET', '/leader/terms')).json.terms).toMatchObject([{ leaderInstance: leader.instance }])
  expect((await ask('GET', '/scheduler/metrics')).json).toMatchObject({ jobs: { total: 3 }, staleLeases: 0 })
  expect((await ask('GET', '/leases')).json).toEqual({ active: [], expired: [] })
  expect((await ask('POST', '/leases/reset-expired')).json).toEqual({ reset: 0 })
  const lock = await api.node.evertick.locks.acquire('l', { ttl: '1m' })
  expect((await ask('GET', '/locks')).json.locks).toMatchObject([{ name: 'l' }, { name: 'leader' }])
  expect((await ask('DELETE', '/locks/l')).status).toBe(204)
  await expect(lock?.extend()).rejects.toThrow('had run out')
  expect((await ask('DELETE', '/locks/l')).json).toMatchObject({ status: 404, code: 'lock_not_found' })
  expect((await ask('POST', '/queues/default/pause', { reason: 'full' })).status).toBe(204)
  expect((await ask('GET', '/queues')).json.queues).toMatchObject([{ name: 'default', pausedReason: 'full' }])
  expect((await ask('POST', '/queues/default/resume')).status).toBe(204)
  expect((await ask('POST', '/leader/step-down')).json).toEqual({ steppedDown: true })
})

test('tokens and sessions come and go, and the audit log has them', async () => {
  const made = await ask('POST', '/tokens', { name: 'ci', role: 'viewer', ttl: '1h' })
  const id = String(made.json.id)
  expect((await ask('GET', '/tokens')).json.tokens).toEqual(
    expect.arrayContaining([expect.objectContaining({ id, name: 'ci', createdBy: 'token:admin' })]),
  )
  expect((await ask('DELETE', `/tokens/${id}`)).status).toBe(204)
  expect((await ask('DELETE', `/tokens/${id}`)).status).toBe(404)
  const { code } = await api.access.createLink({ role: 'viewer', actor: 'anna' })
  expect((await ask('POST', '/session', { code })).json).toMatchObject({
    actor: 'session:anna',
    role: 'viewer',
  })
  expect((await ask('GET', '/session')).json.actor).toBe('token:admin')
  expect((await ask('DELETE', '/session')).status).toBe(204)
  expect((await ask('GET', `/audit-log?subject=${id}`)).json.entries).toMatchObject([
    { action: 'token.revoke', actor: 'token:admin', origin: 'unknown' },
    { action: 'token.create', actor: 'token:admin', origin: 'unknown' },
  ])
  const listed = async (query: string) => {
    const { json } = await ask('GET', `/audit-log?${query}`)
    return (json.entries as { action: string; actor: string }[]).map(({ action }) => action)
  }
  expect(await listed(`subject=${id}&action=token.create`)).toEqual(['token.create'])
  expect(await listed('actor=anna')).toEqual(['link.create'])
  expect(await listed('actor=session:anna')).toEqual(['session.create'])
  expect((await ask('GET', '/session/provider')).json).toEqual({ provider: null })
  expect(await listed('actor=anna&from=2100-01-01T00:00:00Z')).toEqual([])
  expect(await listed('actor=anna&to=2000-01-01T00:00:00Z')).toEqual([])
  expect((await ask('GET', '/audit-log/verify')).json).toMatchObject({ ok: true, broken: [] })
  const head = 'a'.repeat(64)
  expect((await ask('GET', `/audit-log/verify?head=${head}`)).json).toMatchObject({
    ok: false,
    contains: false,
  })
  expect((await ask('GET', '/audit-log/verify?head=short')).status).toBe(400)
})

test('every list is walked page by page, without a gap and without a double', async () => {
  for (let number = 0; number < 25; number += 1)
    await ask('POST', '/jobs', { name: `page-${number}`, runNow: false })
  for (let number = 0; number < 25; number += 1) await ask('POST', '/executions', { job: 'page-0' })
  const walk = async (path: string, list: string) => {
    const seen: unknown[] = []
    let cursor: string | number | null = null
    do {
      const next = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { json }: Answered = await ask('GET', `${path}limit=7${next}`)
      seen.push(...(json[list] as { id: unknown }[]).map(({ id }) => id))
      cursor = json.nextCursor as string | number | null
    } while (cursor !== null)
    return seen
  }
  for (const order of ['', 'sort=-createdAt&', 'sort=nextRunAt&']) {
    const jobs = await walk(`/jobs?filter=page-&${order}`, 'jobs')
    expect([jobs.length, new Set(jobs).size]).toEqual([25, 25])
  }
  for (const order of ['createdAt', 'nextRunAt', 'status']) {
    for (const cursor of ['page-3', 'page-3|page-3', '1|']) {
      const { json } = await ask('GET', `/jobs?sort=${order}&cursor=${encodeURIComponent(cursor)}`)
      expect(json).toMatchObject({ status: 400, field: 'cursor' })
    }
  }
  expect((await ask('GET', '/executions?cursor=page-3')).json).toMatchObject({ executions: [] })
  const executions = await walk('/executions?filter=page-0&sort=-createdAt&', 'executions')
  expect([executions.length, new Set(executions).size]).toEqual([25, 25])
  const entries = await walk('/audit-log?', 'entries')
  expect(new Set(entries).size).toBe(entries.length)
  expect(entries).toEqual(
    ((await ask('GET', '/audit-log?limit=200')).json.entries as { id: unknown }[]).map(({ id }) => id),
  )
})

test('of two who edit what they have both read, one wins and the other hears of it', async () => {
  const { headers } = await ask('POST', '/jobs', { name: 'shared' })
  const match = { 'if-match': headers.get('etag') ?? '' }
  const edits = await Promise.all(
    ['a', 'b'].map((description) => ask('PATCH', '/jobs/shared', { description }, match)),
  )
  expect(edits.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412])
  expect(edits.find(({ status }) => status === 412)?.json.code).toBe('changed_meanwhile')
  const fresh = edits.find(({ status }) => status === 200)?.headers.get('etag') ?? ''
  expect((await ask('PATCH', '/jobs/shared', { description: 'c' }, { 'if-match': fresh })).status).toBe(200)
  for (const mark of ['"another:1"', 'nonsense', '""']) {
    expect([
      mark,
      (await ask('PATCH', '/jobs/shared', { description: 'd' }, { 'if-match': mark })).status,
    ]).toEqual([mark, 412])
  }
  expect((await ask('PATCH', '/jobs/shared', { description: 'e' }, { 'if-match': '*' })).status).toBe(200)
})

test('a request that is sent again under its key is done once', async () => {
  const send = async (key: string, json: unknown) =>
    await ask('POST', '/executions', json, { 'idempotency-key': key })
  const first = await send('k', { job: 'page-1' })
  const again = await send('k', { job: 'page-1' })
  expect([again.status, again.json, again.headers.get('idempotent-replayed')]).toEqual([
    201,
    first.json,
    'true',
  ])
  expect((await ask('GET', '/executions?filter=job:page-1')).json.executions).toHaveLength(1)
  expect((await send('k', { job: 'page-2' })).json).toMatchObject({ status: 422, code: 'key_reused' })
  // Another caller's key of the same name is another key.
  const other = await api.send('POST', '/api/v1/executions', {
    token: api.tokens.operator,
    json: { job: 'page-1' },
    headers: { 'idempotency-key': 'k' },
  })
  expect(other.json.id).not.toBe(first.json.id)
  // What failed may be tried again under the same key.
  expect((await send('later', { job: 'not-yet' })).status).toBe(404)
  await ask('POST', '/jobs', { name: 'not-yet', runNow: false })
  expect((await send('later', { job: 'not-yet' })).status).toBe(201)
  const both = await Promise.all([send('both', { job: 'page-3' }), send('both', { job: 'page-3' })])
  expect((await ask('GET', '/executions?filter=job:page-3')).json.executions).toHaveLength(1)
  expect(both.map(({ status }) => status).filter((status) => ![201, 409].includes(status))).toEqual([])
  for (const key of ['', 'x'.repeat(201)]) expect((await send(key, { job: 'page-1' })).status).toBe(400)
})

testPullLeases(() => ({ ask }))
testSteps(() => ({ api, ask }))

test('every route of the server was reached by these tests', async () => {
  expect((await ask('GET', '/metrics')).status).toBe(200)
  expect((await ask('GET', '/events')).status).toBe(200)
  const missed = allRoutes
    .map(({ method, fullPath }) => `${method} ${fullPath}`)
    .filter((name) => !reached.has(name) && !elsewhere.has(name))
  expect(missed).toEqual([])
})
