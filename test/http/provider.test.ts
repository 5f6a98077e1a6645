/** The user's own provider of tokens: a real one on loopback that publishes its keys, and those who pretend to be it. */

import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRemoteJWKSet, exportJWK, SignJWT } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Access } from '../../src/app/access/access.ts'
import { ForeignTokens, type ProviderOptions } from '../../src/app/access/foreign-tokens.ts'
import { OwnTokens } from '../../src/app/access/own-tokens.ts'
import { SigningKeys } from '../../src/app/access/signing-keys.ts'
import { contextOf } from '../../src/app/app-context.ts'
import { createApi } from '../../src/http/api.ts'
import { openTestNode, type TestNode } from '../../src/testing/index.ts'
import { answered, requestOf, secret } from './api-under-test.ts'

interface Signer {
  readonly kid: string
  readonly alg: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const rsa = (kid: string): Signer => ({
  kid,
  alg: 'RS256',
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }),
})
const ec = (kid: string): Signer => ({
  kid,
  alg: 'ES256',
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }),
})
const eddsa = (kid: string): Signer => ({ kid, alg: 'EdDSA', ...generateKeyPairSync('ed25519') })

const issuer = 'https://login.example.test/'
const audience = 'evertick-of-acme'

/** Publishes what `keys` holds; the list may be changed at any time. */
async function provider(keys: Signer[]): Promise<{ options: ProviderOptions; asked: () => number }> {
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    const published = keys.map(async ({ kid, alg, publicKey }) => ({
      ...(await exportJWK(publicKey)),
      kid,
      alg,
    }))
    response.setHeader('content-type', 'application/json')
    void Promise.all(published).then((all) => response.end(JSON.stringify({ keys: all })))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { options: { jwksUrl: `http://127.0.0.1:${port}/keys`, issuer, audience }, asked: () => asked }
}

async function apiOf(options: ProviderOptions, { own = false } = {}) {
  const node = await openTestNode()
  onTestFinished(() => node.stop())
  const { evertick } = node
  const app = contextOf(evertick)
  // Its keys are asked for again as often as an unknown one comes: else a rotation takes the usual half a minute.
  const keys = createRemoteJWKSet(new URL(options.jwksUrl), { cooldownDuration: 0 })
  const access = new Access(app, {
    own: own ? new OwnTokens(app, new SigningKeys([secret])) : null,
    foreign: new ForeignTokens(app, options, keys),
  })
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const fetch = createApi({ evertick, app: contextOf(evertick), access, logger, hosts: null })
  const whoCalls = async (token: string) =>
    await answered(await fetch(requestOf('GET', '/api/v1/session', { token }), { address: token.slice(-20) }))
  return { node, access, whoCalls }
}

type Claims = Readonly<Record<string, unknown>>

async function sign(signer: Signer, node: TestNode, claims: Claims = {}): Promise<string> {
  const now = Math.floor(node.clock.now() / 1_000)
  const usual = {
    iss: issuer,
    aud: audience,
    sub: 'anna@acme.test',
    role: 'operator',
    iat: now,
    exp: now + 600,
  }
  const given = Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== undefined)
  return await new SignJWT(Object.fromEntries(given))
    .setProtectedHeader({ alg: signer.alg, kid: signer.kid })
    .sign(signer.privateKey)
}

describe('a provider', () => {
  test.each([rsa('r1'), ec('e1'), eddsa('d1')])('is believed by its published key: $alg', async (signer) => {
    const { options } = await provider([signer])
    const { node, whoCalls } = await apiOf(options)
    const { status, json } = await whoCalls(await sign(signer, node))
    expect([status, json.actor, json.role]).toEqual([200, 'user:anna@acme.test', 'operator'])
  })

  const refused: Readonly<Record<string, Claims>> = {
    'another issuer': { iss: 'https://attacker.test/' },
    'no issuer': { iss: undefined },
    'another audience': { aud: 'another-service' },
    'no audience': { aud: undefined },
    'no exp': { exp: undefined },
    'an exp in the past': { exp: 1 },
    'an nbf in the future': { nbf: 32_503_680_000 },
    'no subject': { sub: undefined },
    'an empty subject': { sub: '' },
    'a subject as long as a book': { sub: 'x'.repeat(300) },
    'a subject with a line break': { sub: 'anna\nadmin' },
    'no role': { role: undefined },
    'a role that nobody knows': { role: 'superuser' },
    'a role from a prototype': { role: '__proto__' },
    'roles that nobody knows': { role: undefined, roles: ['a', { b: 1 }] },
  }
  test('is not believed with a claim that is wrong or missing', async () => {
    const signer = rsa('r1')
    const { options } = await provider([signer])
    const { node, whoCalls } = await apiOf(options)
    for (const [wrong, claims] of Object.entries(refused)) {
      const { status, json } = await whoCalls(await sign(signer, node, claims))
      expect([wrong, status, json.code]).toEqual([wrong, 401, 'unauthenticated'])
    }
  })

  test('may name several roles: the first that is ours counts', async () => {
    const signer = ec('e1')
    const { options } = await provider([signer])
    const { node, whoCalls } = await apiOf(options)
    const token = await sign(signer, node, { role: undefined, roles: ['staff', 'viewer', 'admin'] })
    expect((await whoCalls(token)).json.role).toBe('viewer')
  })

  test('has a public key, which is no secret to sign with', async () => {
    const signer = rsa('r1')
    const { options } = await provider([signer])
    const { node, whoCalls } = await apiOf(options, { own: true })
    const [, body = ''] = (await sign(signer, node, { role: 'admin' })).split('.')
    const shapes = [
      signer.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      signer.publicKey.export({ type: 'spki', format: 'der' }),
      JSON.stringify(await exportJWK(signer.publicKey)),
    ]
    for (const key of shapes) {
      for (const [alg, hash] of [
        ['HS256', 'sha256'],
        ['HS512', 'sha512'],
      ] as const) {
        const header = Buffer.from(JSON.stringify({ alg, typ: 'JWT', kid: 'r1' })).toString('base64url')
        const signature = createHmac(hash, key).update(`${header}.${body}`).digest('base64url')
        expect((await whoCalls(`${header}.${body}.${signature}`)).status).toBe(401)
      }
    }
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid: 'r1' })).toString('base64url')
    expect((await whoCalls(`${none}.${body}.`)).status).toBe(401)
  })

  test('is not somebody who uses the id of its key', async () => {
    const signer = rsa('r1')
    const { options } = await provider([signer])
    const { node, whoCalls } = await apiOf(options)
    expect((await whoCalls(await sign(rsa('r1'), node))).status).toBe(401)
    // A key of another sort under the same id.
    expect((await whoCalls(await sign(ec('r1'), node))).status).toBe(401)
  })

  test('changes its keys: the new one is believed at once, the old one no longer', async () => {
    const [old, next] = [rsa('r1'), ec('e2')]
    const published = [old]
    const { options, asked } = await provider(published)
    const { node, whoCalls } = await apiOf(options)
    expect((await whoCalls(await sign(old, node))).status).toBe(200)
    expect(asked()).toBe(1)
    published.splice(0, 1, next)
    expect((await whoCalls(await sign(next, node))).status).toBe(200)
    expect(asked()).toBe(2)
    expect((await whoCalls(await sign(old, node))).status).toBe(401)
  })

  test('that does not answer lets nobody in, and blames no token', async () => {
    const signer = rsa('r1')
    const { node, whoCalls } = await apiOf({ jwksUrl: 'http://127.0.0.1:1/keys', issuer, audience })
    const { status, json, headers } = await whoCalls(await sign(signer, node))
    expect([status, json.code]).toEqual([503, 'provider_unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('stands beside tokens of our own, and alone makes none', async () => {
    const signer = ec('e1')
    const { options, asked } = await provider([signer])
    const both = await apiOf(options, { own: true })
    const { token } = await both.access.createToken({ role: 'viewer', name: 'ours' })
    expect((await both.whoCalls(token)).json.actor).toBe('token:ours')
    expect(asked()).toBe(0)
    expect((await both.whoCalls(await sign(signer, both.node))).status).toBe(200)

    const alone = await apiOf(options)
    expect((await alone.whoCalls(token)).status).toBe(401)
    await expect(alone.access.createToken({ role: 'viewer' })).rejects.toMatchObject({
      code: 'invalid_config',
    })
  })
})
