/** A canary in every place where a secret may stand is found in no line of the log. */
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { givenLogger, withFields } from '../../../src/app/log/given-logger.ts'
import { jsonLogger } from '../../../src/app/log/json-logger.ts'
import { redactedText } from '../../../src/app/log/redact.ts'
import { EvertickError, type Logger } from '../../../src/index.ts'

const canary = 'CANARY-5f2c9e'

type Line = Readonly<Record<string, unknown>>

function lines(say: (logger: Logger) => void): { readonly text: string; readonly all: readonly Line[] } {
  const written: string[] = []
  say(
    jsonLogger(
      () => 'debug',
      (line) => written.push(line),
    ),
  )
  return { text: written.join(''), all: written.map((line) => JSON.parse(line) as Line) }
}

const deep = (name: string) => ({ a: [{ b: { c: { [name]: canary } } }] })

describe('by name, at any depth', () => {
  const names = [
    'authorization',
    'Authorization',
    'cookie',
    'set-cookie',
    'token',
    'accessToken',
    'secret',
    'client_secret',
    'password',
    'passwd',
    'apiKey',
    'api-key',
    'private_key',
    'x-api-key',
    'credentials',
    'jwt',
    'pass',
    'DB_PASS',
    'dbPass',
    'bearer',
    'X-Bearer',
    'connectionString',
    'DB_CONN_STR',
  ]
  test.each(names)('%s', (name) => {
    const { text, all } = lines((logger) => {
      logger.warn('seen', { [name]: canary, kept: 'kept', ...deep(name), list: { [name]: [canary] } })
    })
    expect(text).not.toContain(canary)
    expect(all[0]).toMatchObject({ msg: 'seen', kept: 'kept', [name]: '[redacted]' })
  })

  test('a count under such a name gives nothing away', () => {
    expect(lines((logger) => logger.info('made', { tokens: 3 })).all[0]).toMatchObject({ tokens: 3 })
  })
})

const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ${canary.replaceAll('-', '_')}.c2lnbmF0dXJl`
const texts: readonly [string, string][] = [
  ['a database URL', `cannot reach postgres://admin:${canary}@db.example:5432/jobs`],
  ['a password with a slash-free oddity', `mysql://root:p@ss-${canary}@db/jobs`],
  ['a URL with a password only', `redis://:${canary}@cache:6379`],
  ['a bearer token', `sent Authorization: Bearer ${canary}`],
  ['basic credentials', `Basic ${canary}`],
  ['a JWT anywhere', `token was ${jwt}!`],
  ['a query', `GET https://api.example/x?page=1&access_token=${canary}&z=2`],
  ['a query with a code', `GET /callback?code=${canary}`],
  ['a connection string', `Server=db;User Id=sa;Password=${canary};Encrypt=true`],
  ['a connection string of libpq', `host=db user=me password='${canary}' dbname=jobs`],
  ['an account key', `AccountName=me;AccountKey=${canary}==;`],
  ['a sign-in link', `http://127.0.0.1:8060/sign-in#${canary}`],
]

describe('by shape', () => {
  test.each(texts)('%s', (_what, text) => {
    const caused = new Error(text, { cause: new Error(text) })
    const { text: said } = lines((logger) => {
      logger.error(text, { error: caused, note: text, list: [text, { deep: text }] })
    })
    expect(said).not.toContain(canary)
    expect(said).not.toContain(canary.replaceAll('-', '_'))
    expect(said).toContain('[redacted]')
  })

  test('what is around it stays', () => {
    expect(redactedText(`GET https://a.example/x?page=1&token=${canary}&z=2 failed`)).toBe(
      'GET https://a.example/x?page=1&token=[redacted]&z=2 failed',
    )
    expect(redactedText(`at postgres://u:${canary}@db:5432/jobs`)).toBe(
      'at postgres://[redacted]@db:5432/jobs',
    )
    expect(redactedText('https://a.example/x:y?at=user@example.com')).toBe(
      'https://a.example/x:y?at=user@example.com',
    )
  })
})

test('an error comes with its code and its next step', () => {
  const error = new EvertickError('database_unavailable', 'The database does not answer.', {
    next: 'Look whether it runs.',
  })
  const [line] = lines((logger) => logger.warn('Could not claim', { error, nodeId: 'n1' })).all
  expect(line).toMatchObject({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    msg: 'Could not claim',
    nodeId: 'n1',
    error: {
      type: 'EvertickError',
      code: 'database_unavailable',
      next: 'Look whether it runs.',
      message: 'The database does not answer.',
      stack: expect.stringContaining('redact.test') as string,
    },
  })
})

test('whatever is logged, the line is one, and the log goes on', () => {
  const loop: Record<string, unknown> = {
    big: 2n ** 64n,
    at: new Date(0),
    call: () => 1,
    bytes: new Uint8Array(3),
  }
  loop['self'] = loop
  let nested: object = {}
  for (let depth = 0; depth < 10_000; depth += 1) nested = { nested }
  const { all } = lines((logger) => logger.info('odd\nline', { loop, nested, text: 'a\nb' }))
  expect(all).toHaveLength(1)
  expect(all[0]).toMatchObject({
    msg: 'odd\nline',
    loop: { big: '18446744073709551616', at: '1970-01-01T00:00:00.000Z', bytes: '[3 bytes]', self: '[…]' },
  })
})

test('below its level nothing is said', () => {
  const written: string[] = []
  const logger = jsonLogger(
    () => 'warn',
    (line) => written.push(line),
  )
  logger.debug('no')
  logger.info('no')
  logger.error('yes')
  expect(written.map((line) => (JSON.parse(line) as Line)['msg'])).toEqual(['yes'])
})

test('a pino of the user’s is called as pino wants it', () => {
  const written: string[] = []
  const own = pino({ level: 'debug', base: { app: 'shop' } }, { write: (line) => void written.push(line) })
  const logger = withFields(givenLogger(own), () => ({ nodeId: 'n1' }))
  logger.warn('Could not claim', { error: new Error('no answer'), job: 'report' })
  logger.debug('plainly')
  expect(written.map((line) => JSON.parse(line) as Line)).toMatchObject([
    { app: 'shop', msg: 'Could not claim', nodeId: 'n1', job: 'report', err: { message: 'no answer' } },
    { msg: 'plainly', nodeId: 'n1' },
  ])
})

test('any other logger is called as it is', () => {
  const seen: unknown[] = []
  const say = (...given: unknown[]) => void seen.push(given)
  const logger = givenLogger({ debug: say, info: say, warn: say, error: say })
  const error = new Error('as it is')
  logger.warn('seen', { error })
  expect(seen).toEqual([['seen', { error }]])
})

test('a secret is taken out before a long text is cut, wherever it stands', () => {
  for (let before = 16_384 - 60; before <= 16_384; before += 1) {
    const text = `${'x'.repeat(before - 16)} postgres://me:${canary}@db/jobs ${'y'.repeat(100)}`
    expect(redactedText(text)).not.toContain(canary.slice(0, 6))
  }
})
