/** Strangers, and callers who mean harm, with well-formed requests: floods, sizes, names, patterns. */
import { describe, expect, test } from 'vitest'
import { bodyLimits } from '../../src/http/guard/json-body.ts'
import { RateLimit } from '../../src/http/guard/rate-limit.ts'
import { openApiUnderTest } from './api-under-test.ts'

const json = { 'content-type': 'application/json' }

describe('floods', () => {
  test('whoever floods an address keeps nobody from asking whether the node lives', async () => {
    const api = await openApiUnderTest({ rate: { perSecond: 1, burst: 2 } })
    const guess = async () =>
      (await api.send('POST', '/api/v1/session', { json: { code: 'x' }, remote: 'proxy' })).status
    const guesses = [await guess(), await guess(), await guess()]
    expect(guesses).toEqual([401, 401, 429])
    for (const path of ['/livez', '/readyz', '/health', '/livez', '/readyz', '/health']) {
      expect([path, (await api.send('GET', path, { remote: 'proxy' })).status]).toEqual([path, 200])
    }
  })

  test('however many ask at once whether it is ready, the database is asked once', async () => {
    const api = await openApiUnderTest()
    const { evertick } = api.node
    const ping = evertick.ping.bind(evertick)
    let asked = 0
    evertick.ping = async () => {
      asked += 1
      await ping()
    }
    const ask = async () => (await api.send('GET', '/readyz')).status
    expect(new Set(await Promise.all(Array.from({ length: 100 }, ask)))).toEqual(new Set([200]))
    expect(asked).toBe(1)
    // An answer is for those who asked while it was sought, not for whoever comes later.
    expect(await ask()).toBe(200)
    expect(asked).toBe(2)
  })

  test('a limit remembers so many callers and no more', () => {
    const limit = new RateLimit({ perSecond: 1, burst: 1 }, () => 0)
    expect([limit.take('first'), limit.take('first')]).toEqual([0, 1])
    for (let n = 0; n < 9_999; n += 1) limit.take(`caller ${n}`)
    expect(limit.take('first')).toBe(1)
    for (let n = 0; n < 10_000; n += 1) limit.take(`other ${n}`)
    // Forgotten, and so as good as new.
    expect(limit.take('first')).toBe(0)
  })

  test('a stranger cannot make the server read much; who is known can send a lot', async () => {
    const api = await openApiUnderTest()
    const large = JSON.stringify({ code: 'x'.repeat(20_000) })
    const sent = await api.send('POST', '/api/v1/session', { body: large, headers: json })
    expect(sent.json).toMatchObject({ status: 413, code: 'payload_too_large' })
    const unasked = await api.send('GET', '/livez', {
      headers: { 'content-length': String(bodyLimits.payload.bytes), ...json },
    })
    expect(unasked.status).toBe(413)
    const input = 'x'.repeat(500_000)
    expect((await api.call('POST', '/api/v1/executions', { job: 'break', input })).status).toBe(201)
    expect((await api.send('POST', '/api/v1/jobs', { body: large, headers: json })).status).toBe(401)
  })

  test('an Idempotency-Key of ten kilobytes is refused, and nothing is done', async () => {
    const api = await openApiUnderTest()
    const { json: problem } = await api.send('POST', '/api/v1/executions', {
      token: api.tokens.admin,
      json: { job: 'greet' },
      headers: { 'idempotency-key': 'k'.repeat(10_240) },
    })
    expect(problem).toMatchObject({ status: 400, code: 'invalid_option', field: 'Idempotency-Key' })
    expect((await api.call('GET', '/api/v1/executions?filter=job:greet')).json).toMatchObject({
      executions: [],
    })
  })
})

describe('names', () => {
  /** Each pair looks alike, and is two names. */
  const alike: readonly (readonly [string, string])[] = [
    ['\u212bngstr\u00f6m', '\u00c5ngstr\u00f6m'],
    ['pay', 'p\u0430y'],
    ['report', 'report '],
    ['Report', 'rEPORT'],
    ['stra\u00dfe', 'strasse'],
    ['file', '\ufb01le'],
  ]
  test.each(alike)('%j and %j are two jobs, and neither stands for the other', async (one, other) => {
    const api = await openApiUnderTest()
    for (const name of [one, other]) {
      expect((await api.call('POST', '/api/v1/jobs', { name, schedule: { every: '1h' } })).status).toBe(201)
    }
    await api.call('POST', `/api/v1/jobs/${encodeURIComponent(one)}/pause`)
    for (const [name, isPaused] of [
      [one, true],
      [other, false],
    ] as const) {
      const { json: found } = await api.call('GET', `/api/v1/jobs/${encodeURIComponent(name)}`)
      expect(found).toMatchObject({ name, isPaused })
    }
  })
})

test('letters in parts, and letters that nobody sees, are in no name', async () => {
  const api = await openApiUnderTest()
  for (const name of ['cafe\u0301', 'pay\u200broll', '\u202egnp.exe', 'a\u0000b', '\ufeffa', 'a\u00adb']) {
    const { json: problem } = await api.call('POST', '/api/v1/jobs', { name, schedule: { every: '1h' } })
    expect([name, problem.status]).toEqual([name, 400])
  }
})

describe('patterns', () => {
  const many = (text: string, times: number) => text.repeat(times)
  /** A pattern that tries every way to fail would not come back within the time of a test. */
  const texts = [
    many('a', 500),
    many('(', 500),
    `${many('a ', 250)}!`,
    `${many('a:', 249)}"`,
    many('"', 500),
    `${many('-', 499)}x`,
    many('%_!', 160),
    `${many('\\', 499)}"`,
    many('*/1,', 60),
    `${many('1-', 120)}x`,
    `${many('1h', 49)}x`,
    many('0', 99),
    many('H(', 80),
    `${many('1,', 120)}*`,
  ]
  test.each(texts)('%j is answered wherever text is taken', async (text) => {
    const api = await openApiUnderTest()
    const escaped = encodeURIComponent(text)
    const asked = [
      await api.call('GET', `/api/v1/jobs?filter=${escaped}`),
      await api.call('GET', `/api/v1/executions?filter=${escaped}`),
      await api.call('GET', `/api/v1/jobs?sort=${escaped}`),
      await api.call('GET', `/api/v1/jobs?cursor=${escaped}`),
      await api.call('GET', `/api/v1/executions?cursor=${escaped}`),
      await api.call('POST', '/api/v1/jobs', { name: 'c', schedule: { cron: text.slice(0, 256) } }),
      await api.call('POST', '/api/v1/jobs', { name: 'd', schedule: { every: text.slice(0, 100) } }),
      await api.call('POST', '/api/v1/jobs', { name: 'e', schedule: { at: text } }),
      await api.call('POST', '/api/v1/jobs', {
        name: 'f',
        schedule: { cron: '* * * * *', timezone: text.slice(0, 100) },
      }),
    ]
    for (const { status } of asked) expect([200, 201, 400]).toContain(status)
  })

  test('headers of the longest size that a server takes are answered', async () => {
    const api = await openApiUnderTest()
    const long = [
      many('a', 15_000),
      many('W/"', 5_000),
      many('":1', 5_000),
      many('+', 15_000),
      many('; =', 5_000),
    ]
    for (const value of long) {
      for (const name of ['if-match', 'last-event-id', 'cookie', 'content-type', 'authorization', 'origin']) {
        const { status } = await api.send('PATCH', '/api/v1/jobs/greet', {
          ...(name === 'authorization' ? {} : { token: api.tokens.admin }),
          body: '{}',
          headers: { ...json, [name]: value },
        })
        expect([200, 401, 412, 415]).toContain(status)
      }
    }
  })
})

test('no answer is kept by a browser or a proxy', async () => {
  const api = await openApiUnderTest()
  for (const path of [
    '/',
    '/docs',
    '/openapi.json',
    '/livez',
    '/api/v1/jobs/greet',
    '/api/v1/session',
    '/no',
  ]) {
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await api.send(method, path, { token: api.tokens.viewer })
      expect([method, path, headers.get('cache-control')]).toEqual([method, path, 'no-store'])
    }
  }
})

test('another site may ask whether it may ask, and is not told that it may', async () => {
  const api = await openApiUnderTest()
  const { status, headers } = await api.send('OPTIONS', '/api/v1/jobs', {
    headers: { origin: 'https://attacker.test', 'access-control-request-method': 'POST' },
  })
  expect(status).toBe(405)
  expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
})
