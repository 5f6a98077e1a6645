/** RFC 8725 and its history, one forged token after the other: all are refused, and all with the same words. */

import { generateKeyPairSync } from 'node:crypto'
import { CompactEncrypt } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAccess } from '../../src/app/access/open-access.ts'
import { contextOf } from '../../src/app/app-context.ts'
import { apiConfig } from '../../src/app/config/api-config.ts'
import { type ApiUnderTest, openApi, secret } from './api-under-test.ts'
import { claimsOf, forged, goodHeader, type Json, unsigned, without } from './forge.ts'

let api: ApiUnderTest
/** A good token of an operator, and what it says. */
let good: string
let claims: Json
/** Ids that the database knows, and that are worth nothing. */
let ids: { readonly revoked: string; readonly session: string; readonly ended: Json }

beforeAll(async () => {
  api = await openApi()
  const { access, node } = api
  const ended = await access.createToken({ role: 'operator', name: 'ended', ttl: '1m' })
  const revoked = await access.createToken({ role: 'operator', name: 'deploy' })
  const { code } = await access.createLink({ role: 'operator', actor: 'deploy' })
  const session = await access.signIn(code)
  await node.advance('2m')
  good = (await access.createToken({ role: 'operator', name: 'deploy' })).token
  claims = claimsOf(good)
  await access.revoke(revoked.id)
  ids = { revoked: revoked.id, session: session?.id ?? '', ended: claimsOf(ended.token) }
})
afterAll(() => api.node.stop())

const head = (given: Json) => forged({ ...goodHeader, ...given }, claims)
const claim = (given: Json) => forged(goodHeader, { ...claims, ...given })
const lack = (...names: readonly string[]) => forged(goodHeader, without(claims, ...names))
const now = () => Math.floor(api.node.clock.now() / 1_000)
const publicKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const jwk = publicKey.export({ format: 'jwk' })
const shared = { kty: 'oct', k: Buffer.from('attacker'.repeat(5)).toString('base64url') }

/** What is wrong with it, and the whole Authorization header that brings it. */
const table: Readonly<Record<string, () => string | Promise<string>>> = {
  'alg none, without a signature': () => unsigned({ ...goodHeader, alg: 'none' }, claims),
  'alg None': () => unsigned({ ...goodHeader, alg: 'None' }, claims),
  'alg nOnE': () => unsigned({ ...goodHeader, alg: 'nOnE' }, claims),
  'alg none, with the signature of a good one': () =>
    unsigned({ ...goodHeader, alg: 'none' }, claims, good.split('.')[2]),
  'no alg': () => forged(without(goodHeader, 'alg'), claims),
  'alg of an empty text': () => head({ alg: '' }),
  'alg of a list': () => head({ alg: ['HS256'] }),
  'HS256 by another secret': () => forged(goodHeader, claims, { key: 'x'.repeat(40) }),
  'HS256 by an empty secret': () => forged(goodHeader, claims, { key: '' }),
  'HS256 by a public key in PEM': () => forged(goodHeader, claims, { key: pem }),
  'HS256 by a public key as JWK': () => forged(goodHeader, claims, { key: JSON.stringify(jwk) }),
  'HS256 by the kid, which all may read': () => forged(goodHeader, claims, { key: String(goodHeader.kid) }),
  'HS384 by the right secret': () => forged({ ...goodHeader, alg: 'HS384' }, claims, { hash: 'sha384' }),
  'HS512 by the right secret': () => forged({ ...goodHeader, alg: 'HS512' }, claims, { hash: 'sha512' }),
  'RS256 in the header, HS256 in truth': () => head({ alg: 'RS256' }),
  'ES256 with a signature of zeros': () =>
    unsigned({ ...goodHeader, alg: 'ES256' }, claims, Buffer.alloc(64).toString('base64url')),
  'a stripped signature': () => good.slice(0, good.lastIndexOf('.') + 1),
  'no third part': () => good.slice(0, good.lastIndexOf('.')),
  'a fourth part': () => `${good}.x`,
  'a shortened signature': () => good.slice(0, -4),
  'a swapped payload': () => {
    const [header, , signature] = good.split('.')
    return `${header}.${Buffer.from(JSON.stringify({ ...claims, role: 'admin' })).toString('base64url')}.${signature}`
  },
  'another kid': () => head({ kid: 'AAAAAAAAAAAAAAAA' }),
  'no kid': () => forged(without(goodHeader, 'kid'), claims),
  'a kid that climbs to a known file': () =>
    forged({ ...goodHeader, kid: '../../../../../../dev/null' }, claims, { key: '' }),
  'a kid that is SQL': () => forged({ ...goodHeader, kid: "x' UNION SELECT 'a" }, claims, { key: 'a' }),
  'a kid that is a key of every object': () => head({ kid: '__proto__' }),
  'a jku of somebody else': () =>
    forged({ ...goodHeader, jku: 'http://attacker.test/keys' }, claims, { key: 'attacker'.repeat(5) }),
  'an x5u of somebody else': () =>
    forged({ ...goodHeader, x5u: 'http://attacker.test/cert' }, claims, { key: 'attacker'.repeat(5) }),
  'a jwk in its own header': () =>
    forged({ ...goodHeader, jwk: shared }, claims, { key: 'attacker'.repeat(5) }),
  'a crit that nobody knows': () => head({ crit: ['exp'], exp: 1 }),
  'an empty crit': () => head({ crit: [] }),
  'b64: false': () => head({ crit: ['b64'], b64: false }),
  'a typ of another sort': () => head({ typ: 'at+jwt' }),
  'no typ': () => forged(without(goodHeader, 'typ'), claims),
  'a JWT within a JWT': () => forged({ ...goodHeader, cty: 'JWT' }, JSON.stringify(good)),
  'a JWE for the same secret': () =>
    new CompactEncrypt(new TextEncoder().encode(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: String(goodHeader.kid) })
      .encrypt(new TextEncoder().encode(secret).slice(0, 32)),
  'claims that are a list': () => forged(goodHeader, '[]'),
  'claims that are null': () => forged(goodHeader, 'null'),
  'claims that are no JSON': () => forged(goodHeader, '{'),
  'a header that is no JSON': () => forged('{', claims),
  'a header that is null': () => forged('null', claims),
  'no exp': () => lack('exp'),
  'exp as text': () => claim({ exp: String(claims.exp) }),
  'exp in the past': () => claim({ exp: now() - 1 }),
  'exp that overflows': () => claim({ exp: 1e308 }),
  'exp later than it was given for': () => claim({ exp: Number(claims.exp) + 86_400 }),
  'exp null': () => claim({ exp: null }),
  'a token that has ended, with a later exp': () => forged(goodHeader, { ...ids.ended, exp: now() + 600 }),
  'nbf in the future': () => claim({ nbf: now() + 600 }),
  'nbf as text': () => claim({ nbf: 'yesterday' }),
  'no iat': () => lack('iat'),
  'iat as text': () => claim({ iat: 'now' }),
  'iss of somebody else': () => claim({ iss: 'https://attacker.test' }),
  'iss as a list': () => claim({ iss: ['evertick'] }),
  'no iss': () => lack('iss'),
  'aud of another service': () => claim({ aud: 'another-service' }),
  'aud as a list with ours in it': () => claim({ aud: ['evertick-api', 'another-service'] }),
  'aud as an empty list': () => claim({ aud: [] }),
  'no aud': () => lack('aud'),
  'no role': () => lack('role'),
  'an unknown role': () => claim({ role: 'root' }),
  'a higher role than it was given': () => claim({ role: 'admin' }),
  'role as a list': () => claim({ role: ['admin'] }),
  'role __proto__': () => claim({ role: '__proto__' }),
  'role in capitals': () => claim({ role: 'OPERATOR' }),
  'role from a prototype': () =>
    forged(
      goodHeader,
      JSON.stringify(without(claims, 'role')).replace('{', '{"__proto__":{"role":"operator"},'),
    ),
  'no kind': () => lack('kind'),
  'kind of a session': () => claim({ kind: 'session' }),
  'no jti': () => lack('jti'),
  'an unknown jti': () => claim({ jti: '00000000-0000-7000-8000-000000000000' }),
  'the jti of one taken back': () => claim({ jti: ids.revoked }),
  'the jti of a session': () => claim({ jti: ids.session }),
  'a jti that is an object': () => claim({ jti: { $ne: null } }),
  'a jti that is SQL': () => claim({ jti: "' OR '1'='1" }),
  'no sub': () => lack('sub'),
  'the sub of somebody else': () => claim({ sub: 'anna' }),
  'sub as a number': () => claim({ sub: 1 }),
  'an oversize one': () => claim({ padding: 'x'.repeat(9_000) }),
  'a word': () => 'letmein',
  'dots alone': () => '..',
  'two of them': () => `${good},${good}`,
  'Bearer twice': () => `Bearer ${good}`,
  'letters beyond ASCII': () => `${good.slice(0, -1)}é`,
  'base64 where base64url belongs': () => `+/${good}`,
}

const ask = async (authorization: string) =>
  await api.send('GET', '/api/v1/session', { headers: { authorization }, remote: authorization })

test.each(Object.entries(table))('%s is refused', async (_wrong, make) => {
  const { status, json } = await ask(`Bearer ${await make()}`)
  expect([status, json]).toEqual([
    401,
    {
      type: 'urn:evertick:error:unauthenticated',
      title: 'Not signed in',
      status: 401,
      code: 'unauthenticated',
      detail: 'The token is invalid, expired or revoked.',
      next: 'Make another with `evertick token create`, or sign in again.',
    },
  ])
})

test('a good token passes: nothing in the table is refused for want of one', async () => {
  expect(Object.keys(table).length).toBeGreaterThan(25)
  const { status, json } = await ask(`Bearer ${good}`)
  expect([status, json.actor, json.role]).toEqual([200, 'token:deploy', 'operator'])
  // Made by the hand that made those of the table.
  expect((await ask(`Bearer ${forged(goodHeader, claims)}`)).status).toBe(200)
})

test('the word Bearer is read in any case, as HTTP has it', async () => {
  for (const word of ['bearer', 'BEARER', 'BeArEr', 'Bearer  ']) {
    expect([word, (await ask(`${word} ${good}`)).status]).toEqual([word, 200])
  }
})

test('other schemes prove nothing', async () => {
  for (const given of [`Basic ${good}`, good, `Token ${good}`, 'Bearer', 'Bearer ', `Bearer\t${good}`]) {
    expect([given, (await ask(given)).status]).toEqual([given, 401])
  }
})

test('a token in the query proves nothing', async () => {
  for (const name of ['token', 'access_token', 'authorization']) {
    const { status } = await api.send('GET', `/api/v1/session?${name}=${good}`, { remote: name })
    expect([name, status]).toEqual([name, 401])
  }
})

test('a token as a cookie proves nothing: it is not kept where a session is', async () => {
  const { status } = await api.send('GET', '/api/v1/session', {
    headers: { cookie: `evertick_session=${good}` },
  })
  expect(status).toBe(401)
})

test('what was taken back is refused at once on this node, and within a second on another', async () => {
  const { access, node } = api
  const made = await access.createToken({ role: 'viewer', name: 'short' })
  expect((await ask(`Bearer ${made.token}`)).status).toBe(200)
  await access.revoke(made.id)
  expect((await ask(`Bearer ${made.token}`)).status).toBe(401)

  const later = await access.createToken({ role: 'viewer', name: 'short' })
  expect((await ask(`Bearer ${later.token}`)).status).toBe(200)
  const another = openAccess(contextOf(node.evertick), apiConfig({ secrets: [secret] }))
  await another.revoke(later.id)
  await node.advance('1s')
  expect((await ask(`Bearer ${later.token}`)).status).toBe(401)
})

test('a token that has worked is worth nothing once it has ended, or with one letter changed', async () => {
  const { access, node } = api
  const { token } = await access.createToken({ role: 'viewer', name: 'short', ttl: '2s' })
  expect((await ask(`Bearer ${token}`)).status).toBe(200)
  for (const at of [20, Math.floor(token.length / 2), token.length - 10]) {
    const other = token[at] === 'A' ? 'B' : 'A'
    expect((await ask(`Bearer ${token.slice(0, at)}${other}${token.slice(at + 1)}`)).status).toBe(401)
  }
  expect((await ask(`Bearer ${token}`)).status).toBe(200)
  await node.advance('2s')
  expect((await ask(`Bearer ${token}`)).status).toBe(401)
})
