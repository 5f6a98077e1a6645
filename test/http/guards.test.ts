/** What stands before every route: names, origins, sizes, rates; and what no answer ever shows. */
import { describe, expect, test } from 'vitest'
import { apiHeaders } from '../../src/http/guard/headers.ts'
import { bodyLimits } from '../../src/http/guard/json-body.ts'
import { answeredHosts } from '../../src/http/guard/origin.ts'
import { type ApiUnderTest, host, openApiUnderTest, secret } from './api-under-test.ts'

const json = { 'content-type': 'application/json' }

describe('names', () => {
  test('a server on loopback answers to loopback names only, so that no page can bend a name to it', async () => {
    const api = await openApiUnderTest({ hosts: answeredHosts('127.0.0.1', ['jobs.example.test']) })
    const status = async (name: string) =>
      (await api.send('GET', '/livez', { headers: { host: name } })).status
    for (const name of [
      'localhost',
      'LOCALHOST:8060',
      '127.0.0.1',
      '127.0.0.1:1',
      '[::1]:8060',
      'jobs.example.test',
    ]) {
      expect([name, await status(name)]).toEqual([name, 200])
    }
    for (const name of [
      'attacker.test',
      'attacker.test:8060',
      'localhost.attacker.test',
      '127.0.0.1.attacker.test',
      'localhost@attacker.test',
      '0.0.0.0',
      '127.0.0.2',
      'evil-jobs.example.test',
      '',
      'localhost:8060:1',
      '[::1',
    ]) {
      expect([name, await status(name)]).toEqual([name, 403])
    }
  })

  test('a server on every address answers to its names and to loopback, where a probe asks', async () => {
    const api = await openApiUnderTest({ hosts: answeredHosts('0.0.0.0', ['jobs.example.test']) })
    const status = async (name: string) =>
      (await api.send('GET', '/readyz', { headers: { host: name } })).status
    expect([await status('jobs.example.test'), await status('127.0.0.1:8060')]).toEqual([200, 200])
    expect([await status('attacker.test'), await status('10.0.0.5:8060')]).toEqual([403, 403])
    expect(answeredHosts('0.0.0.0', [])).toBeNull()
  })

  test('a page is guarded like a route', async () => {
    const api = await openApiUnderTest({ hosts: ['localhost'] })
    for (const path of ['/docs', '/sign-in', '/openapi.json', '/nothing']) {
      expect([path, (await api.send('GET', path, { headers: { host: 'attacker.test' } })).status]).toEqual([
        path,
        403,
      ])
    }
  })
})

async function signedIn(api: ApiUnderTest): Promise<{ readonly cookie: string; readonly set: string }> {
  const { code } = await api.access.createLink({ role: 'admin', actor: 'anna' })
  const { status, headers } = await api.send('POST', '/api/v1/session', { json: { code } })
  expect(status).toBe(201)
  const set = headers.get('set-cookie') ?? ''
  return { cookie: set.split(';')[0] ?? '', set }
}

describe('sessions', () => {
  test('a cookie is for no script and for no other site', async () => {
    const { set } = await signedIn(await openApiUnderTest())
    expect(set).toMatch(/^evertick_session=[\w.-]+; HttpOnly; SameSite=Strict; Path=\/; Expires=[\w, :]+GMT$/)
  })

  test('a link works once, for ten minutes, and only as it was made', async () => {
    const api = await openApiUnderTest()
    const follow = async (code: string, remote = code) =>
      (await api.send('POST', '/api/v1/session', { json: { code }, remote })).status
    const { code } = await api.access.createLink({ role: 'viewer' })
    expect(await follow(`${code.slice(0, -1)}${code.endsWith('_') ? '-' : '_'}`)).toBe(401)
    expect(await follow(code.toUpperCase())).toBe(401)
    expect(await follow(code)).toBe(201)
    expect(await follow(code)).toBe(401)
    const late = await api.access.createLink({ role: 'viewer' })
    await api.node.advance('10m')
    expect(await follow(late.code)).toBe(401)
    const both = await api.access.createLink({ role: 'viewer' })
    expect((await Promise.all([follow(both.code), follow(both.code)])).toSorted()).toEqual([201, 401])
  })

  test('a session ends at sign-out, or after twelve hours', async () => {
    const api = await openApiUnderTest({ jobs: [] })
    const whoCalls = async (cookie: string) =>
      (await api.send('GET', '/api/v1/session', { headers: { cookie } })).status
    const first = await signedIn(api)
    expect(await whoCalls(first.cookie)).toBe(200)
    const origin = `http://${host}`
    const out = await api.send('DELETE', '/api/v1/session', { headers: { cookie: first.cookie, origin } })
    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')])
    expect(await whoCalls(first.cookie)).toBe(401)
    const second = await signedIn(api)
    await api.node.advance('12h')
    expect(await whoCalls(second.cookie)).toBe(401)
  })

  const foreign: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'without an origin': {},
    'from another site': { origin: 'https://attacker.test' },
    'from nowhere': { origin: 'null' },
    'from another port': { origin: 'http://127.0.0.1:9999' },
    'from a name that begins like ours': { origin: `http://${host}.attacker.test` },
    'from a name that ends like ours': { origin: 'http://attacker.127.0.0.1:8060' },
    'with our name as its user': { origin: `http://${host}@attacker.test` },
    'from a file': { origin: 'file://' },
    'from a word': { origin: 'x' },
    'ours, but from another site as the browser says': {
      origin: `http://${host}`,
      'sec-fetch-site': 'cross-site',
    },
    'ours, but from a sibling': { origin: `http://${host}`, 'sec-fetch-site': 'same-site' },
    'with only a referrer': { referer: `http://${host}/` },
  }
  test('a change that rests on a cookie comes from our own pages', async () => {
    const api = await openApiUnderTest()
    const { cookie } = await signedIn(api)
    const pause = async (headers: Readonly<Record<string, string>>) =>
      (await api.send('POST', '/api/v1/jobs/greet/pause', { headers: { cookie, ...headers } })).status
    for (const [how, headers] of Object.entries(foreign))
      expect([how, await pause(headers)]).toEqual([how, 403])
    expect((await api.call('GET', '/api/v1/jobs/greet')).json.isPaused).toBe(false)
    expect(await pause({ origin: `http://${host}`, 'sec-fetch-site': 'same-origin' })).toBe(200)
  })

  test('a form of another site cannot sign anybody in', async () => {
    const api = await openApiUnderTest()
    const { code } = await api.access.createLink({ role: 'admin' })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '']) {
      const body = JSON.stringify({ code })
      const { status } = await api.send('POST', '/api/v1/session', {
        body,
        headers: { 'content-type': type },
      })
      expect([type, status]).toEqual([type, 415])
    }
  })
})

describe('bodies', () => {
  const create = async (
    api: ApiUnderTest,
    body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
    headers = json,
  ) => await api.send('POST', '/api/v1/jobs', { token: api.tokens.admin, body, headers })

  test('too large is refused, whether its length was told, or not, or told wrongly', async () => {
    const api = await openApiUnderTest()
    const told = { ...json, 'content-length': String(bodyLimits.payload.bytes + 1) }
    expect((await create(api, '{}', told)).json).toMatchObject({ status: 413, code: 'payload_too_large' })
    // No server lets it through, but a mount may be handed what somebody has put together.
    const lies = { ...json, 'content-length': '2' }
    const large = ' '.repeat(bodyLimits.payload.bytes + 1)
    expect((await create(api, large, lies)).json).toMatchObject({ status: 413, code: 'payload_too_large' })
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1
        controller.enqueue(new Uint8Array(65_536).fill(32))
      },
    })
    expect((await create(api, endless)).json).toMatchObject({ status: 413, code: 'payload_too_large' })
    // It was not read to an end that never comes.
    expect(sent).toBeLessThan(bodyLimits.payload.bytes / 65_536 + 5)
  })

  test('ten thousand levels are refused before anything walks them', async () => {
    const api = await openApiUnderTest()
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep = `{"name":"x","input":${open.repeat(10_000)}1${close.repeat(10_000)}}`
      expect((await create(api, deep)).json).toMatchObject({ status: 413, code: 'payload_too_large' })
    }
    // Brackets in a text are no levels.
    expect((await create(api, JSON.stringify({ name: 'x', input: '['.repeat(10_000) }))).status).toBe(201)
  })

  test('keys that reach into a prototype are refused at any depth', async () => {
    const api = await openApiUnderTest()
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      for (const body of [
        `{"name":"x","${key}":{}}`,
        `{"name":"x","input":[{"a":{"${key}":{"admin":true}}}]}`,
      ]) {
        expect((await create(api, body)).json).toMatchObject({ status: 400, code: 'invalid_input' })
      }
    }
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  test('what is no JSON, or no UTF-8, or of another type is refused, each with its own words', async () => {
    const api = await openApiUnderTest()
    expect((await create(api, '{"name":')).json).toMatchObject({ status: 400, code: 'invalid_input' })
    expect((await create(api, Uint8Array.from([0x22, 0xff, 0x22]))).json.detail).toBe(
      'The body is not valid UTF-8.',
    )
    for (const type of ['text/json', 'application/jsonp', 'application/xml', 'application/json-x']) {
      expect([type, (await create(api, '{}', { 'content-type': type })).status]).toEqual([type, 415])
    }
    for (const type of [
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/merge-patch+json',
    ]) {
      const { json: problem } = await create(api, '{}', { 'content-type': type })
      expect([type, problem.status]).toEqual([type, 400])
    }
  })

  test('an unknown key is an error that says what was meant', async () => {
    const api = await openApiUnderTest()
    const { json: problem } = await api.call('POST', '/api/v1/jobs', { name: 'x', shedule: { every: '1m' } })
    expect(problem).toMatchObject({ status: 400, field: 'shedule', next: 'Did you mean "schedule"?' })
    const { json: asked } = await api.call('GET', '/api/v1/jobs?limt=1')
    expect(asked).toMatchObject({ status: 400, field: 'limt', next: 'Did you mean "limit"?' })
    expect((await api.call('POST', '/api/v1/jobs', { name: 'x', uid: 0 })).status).toBe(400)
    expect((await api.call('GET', '/api/v1/nodes?x=1')).status).toBe(400)
  })

  test('a key that stands twice in the query is an error: nobody can know which was meant', async () => {
    const api = await openApiUnderTest()
    const { json: problem } = await api.call('GET', '/api/v1/jobs?limit=1&limit=2')
    expect(problem).toMatchObject({ status: 400, code: 'invalid_option', field: 'limit' })
  })

  test('what a caller wrote comes back only in part', async () => {
    const api = await openApiUnderTest()
    const { text } = await api.call('POST', '/api/v1/jobs', { name: 'x', ['y'.repeat(1_000_000)]: 1 })
    expect(text.length).toBeLessThan(5_000)
  })
})

describe('rates', () => {
  test('whoever asks too often hears when to come back; another notices nothing', async () => {
    const api = await openApiUnderTest({ rate: { perSecond: 1, burst: 3 } })
    const ask = async (token: string) => await api.send('GET', '/api/v1/nodes', { token })
    for (let time = 0; time < 3; time += 1) expect((await ask(api.tokens.viewer)).status).toBe(200)
    const { status, headers, json: problem } = await ask(api.tokens.viewer)
    expect([status, headers.get('retry-after'), problem.code]).toEqual([429, '1', 'rate_limited'])
    expect((await ask(api.tokens.operator)).status).toBe(200)
    await api.node.advance('1s')
    expect((await ask(api.tokens.viewer)).status).toBe(200)
  })

  test('two tokens of one name are two callers', async () => {
    const api = await openApiUnderTest({ rate: { perSecond: 1, burst: 1 } })
    const [one, two] = [
      await api.access.createToken({ role: 'viewer', name: 'same' }),
      await api.access.createToken({ role: 'viewer', name: 'same' }),
    ]
    const ask = async (token: string) => (await api.send('GET', '/api/v1/nodes', { token })).status
    expect([await ask(one.token), await ask(one.token), await ask(two.token)]).toEqual([200, 429, 200])
  })

  test.each([
    ['tokens', 'GET', { token: 'wrong' }],
    ['codes of links', 'POST', { json: { code: 'wrong' } }],
  ] as const)(
    'whoever guesses at %s soon waits; whoever is known at that address does not',
    async (_what, method, given) => {
      const api = await openApiUnderTest()
      const guess = async (remote: string) => await api.send(method, '/api/v1/session', { ...given, remote })
      for (let time = 0; time < 20; time += 1) expect((await guess('here')).status).toBe(401)
      const { status, headers } = await guess('here')
      expect([status, headers.get('retry-after')]).toEqual([429, '2'])
      expect((await guess('there')).status).toBe(401)
      expect(
        (await api.send('GET', '/api/v1/session', { token: api.tokens.viewer, remote: 'here' })).status,
      ).toBe(200)
    },
  )
})

describe('answers', () => {
  test('every answer carries the headers that keep a browser safe', async () => {
    const api = await openApiUnderTest({ hosts: ['127.0.0.1'] })
    const asked: readonly [string, string, number][] = [
      ['GET', '/livez', 200],
      ['GET', '/docs', 200],
      ['GET', '/sign-in', 200],
      ['GET', '/openapi.json', 200],
      ['GET', '/api/v1/jobs', 401],
      ['GET', '/nothing', 404],
      ['PUT', '/api/v1/jobs', 405],
    ]
    for (const [method, path, expected] of asked) {
      const { status, headers } = await api.send(method, path)
      expect([path, status]).toEqual([path, expected])
      for (const name of Object.keys(apiHeaders))
        expect([path, name, headers.has(name)]).toEqual([path, name, true])
      expect(headers.get('content-security-policy')).not.toMatch(/unsafe|\*/)
      expect(headers.has('access-control-allow-origin')).toBe(false)
    }
  })

  test('what nobody foresaw is told to the log, and not to the caller', async () => {
    const api = await openApiUnderTest()
    const { nodes } = api.node.evertick
    nodes.list = async () => {
      throw new Error('SELECT secret FROM evertick_access_tokens')
    }
    const { status, text, json: problem } = await api.call('GET', '/api/v1/nodes')
    expect([status, problem.code]).toEqual([500, 'internal'])
    expect(text).not.toMatch(/SELECT|evertick_|\.ts/)
    expect(api.logged.join('\n')).toContain('SELECT secret')
  })

  test('no secret is in any answer, log or audit log', async () => {
    const api = await openApiUnderTest()
    const { code } = await api.access.createLink({ role: 'admin', actor: 'anna' })
    const session = await api.send('POST', '/api/v1/session', { json: { code } })
    const cookie = session.headers.get('set-cookie')?.split(/[=;]/)[1] ?? ''
    const made = await api.call('POST', '/api/v1/tokens', { name: 'ci', role: 'viewer' })
    const token = String(made.json.token)
    await api.send('GET', '/api/v1/session', { token: `${token}x` })
    await api.send('POST', '/api/v1/session', { json: { code } })
    const seen: string[] = [session.text]
    for (const path of ['/tokens', '/audit-log?limit=200', '/session', '/nodes', '/jobs', '/leader/terms']) {
      seen.push((await api.call('GET', `/api/v1${path}`)).text)
    }
    for (const path of ['/openapi.json', '/docs', '/livez', '/readyz'])
      seen.push((await api.send('GET', path)).text)
    const all = [...seen, ...api.logged].join('\n')
    expect(all).toContain('token.create')
    for (const canary of [secret, token, code, cookie]) {
      expect(canary.length).toBeGreaterThan(20)
      expect(all.includes(canary)).toBe(false)
    }
  })
})
