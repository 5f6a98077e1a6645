/** The client against a real node that listens: names, answers, errors, keys and pages. */
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { idempotentRoutes, serviceRoutes } from '../../src/client/call.ts'
import { type Client, createClient, EvertickError, ProblemError } from '../../src/client/index.ts'
import { allRoutes, prefix } from '../../src/http/all-routes.ts'
import { order } from '../http/order-job.ts'
import { until } from '../process/until.ts'
import { type ServedNode, serveNode } from './served-node.ts'

/** A server that answers as it is told to, for what no Evertick would do. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function failureOf(work: Promise<unknown>): Promise<EvertickError & Partial<ProblemError>> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (error instanceof EvertickError) return error
  throw new Error(`It did not fail with an EvertickError: ${String(error)}`)
}

describe('a node that listens', () => {
  let node: ServedNode
  let client: Client
  beforeEach(async () => {
    node = await serveNode()
    client = node.client
  })

  test('a job is created, read, edited, paused, run and deleted under the library’s names', async () => {
    // Without one its health is unknown, and with one it is not.
    await until('a leader', async () => (await client.leader.current()) !== null)
    const made = await client.jobs.create({
      name: 'report',
      schedule: { cron: '0 9 * * 1-5', timezone: 'Europe/Madrid' },
      handler: { type: 'function', name: 'greet' },
      tags: ['money'],
    })
    expect(await client.jobs.get('report')).toEqual(made)
    const { input: _, ...listed } = made
    expect((await client.jobs.list({ filter: 'tag:money' })).jobs).toEqual([listed])
    expect(await client.jobs.upcoming('report', { count: 3 })).toHaveLength(3)
    expect((await client.jobs.pause('report', { reason: 'vendor' })).pausedReason).toBe('vendor')
    expect((await client.jobs.resume('report')).isPaused).toBe(false)
    const run = await client.jobs.trigger('report', { input: { name: 'Ada' } })
    const state = async () => (await client.executions.get(run.id)).state
    await until('the run', async () => (await state()) === 'completed')
    expect((await client.executions.get(run.id)).result).toEqual({ said: 'Ada' })
    const logged = async () => (await client.executions.logs(run.id)).map(({ message }) => message)
    await until('its log', async () => (await logged()).includes('hello Ada'))
    expect((await client.jobs.executions('report')).executions.map(({ id }) => id)).toEqual([run.id])
    expect((await client.jobs.stats('report')).completed).toBe(1)
    expect(await client.jobs.usage('report', { limit: 5 })).toEqual([])
    expect(await client.why('report')).toEqual(await client.jobs.why('report'))
    expect(await client.why(run.id)).toMatchObject({ reason: 'completed' })
    await expect(client.why('nothing')).rejects.toThrow('There is no job and no execution "nothing".')
    expect((await client.jobs.revisions('report')).length).toBeGreaterThan(0)
    expect(await client.jobs.delete('report')).toBe(undefined)
    expect((await failureOf(client.jobs.get('report'))).code).toBe('job_not_found')
  })

  test('a wait is answered, and the execution is run again from a step', async () => {
    await node.evertick.define(order)
    const { id } = await client.enqueue('order')
    const state = async (of: string) => (await client.executions.get(of)).state
    await until('the wait', async () => (await state(id)) === 'waiting')
    const signal = { name: 'approve', payload: { ok: true }, id: 'one' }
    expect(await client.executions.signal(id, signal)).toEqual({ executionId: id, taken: true })
    expect(await client.executions.signal(id, signal)).toEqual({ executionId: id, taken: false })
    await until('the run', async () => (await state(id)) === 'completed')
    const again = await client.executions.retry(id, { fromStep: 'ship' })
    await until('the run', async () => (await state(again.id)) === 'completed')
    const { steps, result } = await client.executions.get(again.id)
    expect(steps.map(({ name }) => name)).toEqual(['charge', 'cool off', 'approve', 'ship'])
    expect(result).toMatchObject({ payload: { ok: true }, by: 'token:admin' })
  })

  test('the cluster, its proof and its keys are read under their names', async () => {
    await until('a leader', async () => (await client.leader.current()) !== null)
    expect((await client.leader.terms())[0]?.leaderInstance).toBe(node.evertick.nodeId)
    expect((await client.nodes.list()).map(({ id }) => id)).toEqual([node.evertick.nodeId])
    expect(await client.nodes.handlers()).toContain('greet')
    expect((await client.queues.list()).map(({ name }) => name)).toContain('default')
    await client.queues.pause('default', { reason: 'a test' })
    await client.queues.resume('default')
    expect(await client.alerts.rules.put({ name: 'late', enabled: false })).toMatchObject({ enabled: false })
    await client.alerts.rules.delete('late')
    expect((await client.alerts.rules.list()).map(({ name }) => name)).toContain('failing')
    expect(await client.alerts.list({ state: ['open', 'snoozed'] })).toMatchObject({ nextCursor: null })
    for await (const alert of client.alerts.all({ rule: 'none' })) expect(alert).toBe('none')
    expect(await client.alerts.count()).toMatchObject({ snoozed: 0 })
    expect([await client.leases.expired(), await client.leases.resetExpired()]).toEqual([[], 0])
    expect((await client.audit()).ok).toBe(true)
    expect((await client.metrics()).jobs.total).toBe(3)
    expect((await client.health()).status).toBe('ok')
    expect(await client.call('GET /metrics')).toContain('evertick_')
    expect((await client.auditLog.list({ subject: 'default' })).entries.length).toBe(2)
    const made = await client.tokens.create({ name: 'ci', role: 'viewer' })
    expect((await client.tokens.list()).map(({ name }) => name)).toContain('ci')
    expect((await node.clientOf({ token: made.token }).session.get()).role).toBe('viewer')
    await client.tokens.revoke(made.id)
  })

  test('a lock with a slash in its name is released', async () => {
    await node.evertick.locks.acquire('a/b c', { ttl: '1m' })
    expect((await client.locks.list()).map(({ name }) => name)).toContain('a/b c')
    await client.locks.release('a/b c')
    expect((await failureOf(client.locks.release('a/b c'))).code).toBe('lock_not_found')
  })

  test('a list that comes in pages is read as one', async () => {
    for (const name of ['a', 'b', 'c']) await client.enqueue('greet', { name }, { priority: 1 })
    const ids: string[] = []
    for await (const { id } of client.executions.all({ filter: 'job:greet' })) ids.push(id)
    const [first, second] = [
      await client.executions.list({ filter: 'job:greet', limit: 2 }),
      await client.executions.list({ filter: 'job:greet', limit: 2, cursor: ids[1] ?? '' }),
    ]
    expect([...first.executions, ...second.executions].map(({ id }) => id)).toEqual(ids)
    const names: string[] = []
    for await (const { name } of client.jobs.all()) names.push(name)
    expect(names).toEqual(['break', 'greet', 'minutely'])
  })

  test('a problem is an error with the server’s code, status, field and next step', async () => {
    const missing = await failureOf(client.jobs.get('nowhere'))
    expect(missing).toBeInstanceOf(ProblemError)
    expect(missing).toMatchObject({ code: 'job_not_found', kind: 'not_found', status: 404 })
    expect(missing.next).toContain('jobs list')
    const wrong = await failureOf(client.jobs.create({ name: 'x', schedule: { cron: 'never' } }))
    expect(wrong).toMatchObject({ code: 'invalid_cron', kind: 'usage', status: 400 })
    const viewer = node.clientOf({ token: await node.tokenFor('viewer') })
    expect(await failureOf(viewer.jobs.pause('greet'))).toMatchObject({ code: 'forbidden', status: 403 })
    const nobody = node.clientOf({ token: 'not-a-token' })
    expect(await failureOf(nobody.jobs.list())).toMatchObject({ code: 'unauthenticated', kind: 'auth' })
  })

  test('an edit of what has changed meanwhile is refused', async () => {
    const seen = await client.jobs.get('minutely')
    const edited = await client.jobs.update('minutely', { description: 'one' }, { ifMatch: seen })
    const late = client.jobs.update('minutely', { description: 'two' }, { ifMatch: seen })
    expect(await failureOf(late)).toMatchObject({ code: 'changed_meanwhile', status: 412 })
    const etag = `"${edited.id}:${edited.revision}"`
    await client.jobs.update('minutely', { description: 'three' }, { ifMatch: etag })
  })

  test('the same key makes one execution, and a call makes its own key', async () => {
    const send = (idempotencyKey?: string) =>
      client.enqueue('greet', { name: 'once' }, idempotencyKey === undefined ? {} : { idempotencyKey })
    const [one, same, other, another] = [
      await send('order-7'),
      await send('order-7'),
      await send(),
      await send(),
    ]
    expect(same).toEqual(one)
    expect(new Set([one.id, other.id, another.id]).size).toBe(3)
  })

  test('a connection that is lost after the work was done is asked again, and nothing is done twice', async () => {
    let sent = 0
    const flaky: typeof fetch = async (...request) => {
      const response = await fetch(...request)
      sent += 1
      if (sent > 1) return response
      await response.text()
      throw new TypeError('fetch failed')
    }
    await node.clientOf({ fetch: flaky }).enqueue('greet', { name: 'lost' })
    expect(sent).toBe(2)
    expect((await client.executions.list({ filter: 'job:greet' })).executions).toHaveLength(1)
  })

  test('what changes something without a key is never sent twice', async () => {
    let sent = 0
    const dead: typeof fetch = () => {
      sent += 1
      return Promise.reject(new TypeError('fetch failed'))
    }
    const error = await failureOf(node.clientOf({ fetch: dead }).queues.pause('default'))
    expect([error.code, error.kind, sent]).toEqual(['server_unavailable', 'unavailable', 1])
  })

  test('without a token the browser’s cookie is sent, with one nothing but the token', async () => {
    const seen: (RequestInit | undefined)[] = []
    const watched: typeof fetch = (url, init) => {
      seen.push(init)
      return fetch(url, init)
    }
    await node.clientOf({ fetch: watched }).session.get()
    await failureOf(createClient({ url: node.url, fetch: watched }).session.get())
    expect(seen.map((init) => init?.credentials)).toEqual(['omit', 'same-origin'])
    expect(JSON.stringify(seen[1]?.headers)).not.toContain('authorization')
  })

  test('a person signs in with the code of a link', async () => {
    const browser = createClient({ url: node.url })
    expect(await failureOf(browser.session.signIn('wrong'))).toMatchObject({ code: 'unauthenticated' })
  })
})

describe('what no node would answer', () => {
  test('nobody listens: the server is unavailable, and the next step says what to check', async () => {
    const url = await serve(() => {})
    const port = Number(new URL(url).port)
    const free = createClient({ url: `http://127.0.0.1:${port === 1 ? 2 : 1}` })
    const error = await failureOf(free.jobs.list())
    expect([error.code, error.kind]).toEqual(['server_unavailable', 'unavailable'])
    expect(error.next).toContain('role api')
  })

  test('an answer that does not come is given up', async () => {
    const url = await serve(() => {})
    const error = await failureOf(createClient({ url, timeout: '50ms' }).jobs.list())
    expect([error.code, error.message]).toEqual([
      'server_unavailable',
      expect.stringContaining('within 50ms'),
    ])
  })

  test('a call that is aborted rejects with the reason of its signal', async () => {
    const begun = Promise.withResolvers<void>()
    const url = await serve(() => begun.resolve())
    const controller = new AbortController()
    const call = createClient({ url }).jobs.list({}, { signal: controller.signal })
    await begun.promise
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
  })

  test('the page of a proxy is no answer, and a proxy without a node is unavailable', async () => {
    let status = 200
    const url = await serve((_, response) => {
      response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')
    })
    const client = createClient({ url })
    expect((await failureOf(client.jobs.list())).code).toBe('invalid_answer')
    status = 502
    expect(await failureOf(client.jobs.list())).toMatchObject({ code: 'server_unavailable', status: 502 })
  })

  test('a code that only a newer server knows keeps the sort of trouble', async () => {
    const url = await serve((_, response) => {
      const problem = { code: 'quota_of_tomorrow', detail: 'Too many.', next: 'Wait.' }
      response
        .writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '7' })
        .end(JSON.stringify(problem))
    })
    expect(await failureOf(createClient({ url }).jobs.list())).toMatchObject({
      code: 'rate_limited',
      message: 'Too many.',
      next: 'Wait.',
      retryAfterMs: 7_000,
    })
  })

  test('the path of a proxy stays before every route, and names are written as URLs write them', async () => {
    const asked: string[] = []
    const url = await serve((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      response.writeHead(204).end()
    })
    const client = createClient({ url: `${url}/ops/evertick/` })
    await client.jobs.delete('über/a b?')
    await client.health()
    await client.jobs.list({ filter: 'tag:"two words"', limit: 5 })
    expect(asked).toEqual([
      'DELETE /ops/evertick/api/v1/jobs/%C3%BCber%2Fa%20b%3F',
      'GET /ops/evertick/health',
      'GET /ops/evertick/api/v1/jobs?filter=tag%3A%22two+words%22&limit=5',
    ])
  })

  test('a redirect is not followed: it would take the token elsewhere', async () => {
    const asked: string[] = []
    const elsewhere = await serve((request, response) => {
      asked.push(request.url ?? '')
      response.end()
    })
    const url = await serve((_, response) => response.writeHead(307, { location: elsewhere }).end())
    expect((await failureOf(createClient({ url, token: 'secret' }).jobs.pause('a'))).code).toBe(
      'server_unavailable',
    )
    expect(asked).toEqual([])
  })

  test('a URL that is none, or that has a secret in it, is refused without being shown', () => {
    for (const url of [
      '127.0.0.1:8060',
      'ftp://a',
      '//a',
      '',
      'http://u:hunter2@a',
      'http://a?token=hunter2',
    ]) {
      expect(() => createClient({ url })).toThrowError(
        expect.objectContaining({ code: 'invalid_option', field: 'url' }) as Error,
      )
      expect(() => createClient({ url })).not.toThrowError(/hunter2/)
    }
    createClient({ url: '/ops' })
  })
})

test('every route has a name in the client', () => {
  const folder = join(import.meta.dirname, '../../src/client')
  const source = readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n')
  const names = allRoutes.map(({ method, path }) => `'${method.toUpperCase()} ${path}'`)
  expect(names.filter((name) => !source.includes(name))).toEqual([])
})

test('which routes take a key and which stand outside of the prefix is what the server says', () => {
  const nameOf = ({ method, path }: { method: string; path: string }) => `${method.toUpperCase()} ${path}`
  const named = (kept: typeof allRoutes) => kept.map(nameOf).toSorted()
  expect(idempotentRoutes.toSorted()).toEqual(
    named(allRoutes.filter(({ idempotent }) => idempotent === true)),
  )
  expect(serviceRoutes.toSorted()).toEqual(
    named(allRoutes.filter(({ fullPath }) => !fullPath.startsWith(prefix))),
  )
})
