/** A provider on loopback that answers as a test tells it to: with what a good one says, but for the lie. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { onTestFinished } from 'vitest'

type Reply = (response: ServerResponse) => void

export interface Lies {
  /** Over the metadata that it publishes. */
  metadata?: Record<string, unknown>
  /** Over the claims of the ID token. */
  claims?: Readonly<Record<string, unknown>>
  /** What it says at its userinfo endpoint. @default it has none */
  userinfo?: Readonly<Record<string, unknown>>
  /** How the ID token is signed. */
  signed?:
    | 'well'
    | 'by another key'
    | 'not at all'
    | 'by HS256 with the public key'
    | 'by HS256 with the secret'
  /** In place of an answer of the endpoint. */
  discovery?: Reply
  token?: Reply
  keys?: Reply
}

export interface LyingProvider {
  readonly issuer: string
  readonly lies: Lies
  /** What the next ID token is for. */
  nonce: string | undefined
  /** The bodies that came to the token endpoint. */
  readonly asked: URLSearchParams[]
}

export const clientSecret = 'a-secret-of-the-client-0123456789'

const good = await generateKeyPair('RS256', { extractable: true })
const bad = await generateKeyPair('RS256')

export async function lyingProvider(): Promise<LyingProvider> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', made.issuer)
    if (pathname === '/.well-known/openid-configuration')
      return reply(made.lies.discovery, metadata(), response)
    if (pathname === '/userinfo') return reply(undefined, { ...made.lies.userinfo }, response)
    if (pathname === '/keys') return void keys().then((set) => reply(made.lies.keys, set, response))
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      made.asked.push(new URLSearchParams(Buffer.concat(parts).toString()))
      void tokens().then((set) => reply(made.lies.token, set, response))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const made: LyingProvider = { issuer, lies: {}, nonce: undefined, asked: [] }
  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    authorization_response_iss_parameter_supported: true,
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    ...(made.lies.userinfo === undefined ? {} : { userinfo_endpoint: `${issuer}/userinfo` }),
    ...made.lies.metadata,
  })
  const keys = async () => ({
    keys: [{ ...(await exportJWK(good.publicKey)), kid: 'good', alg: 'RS256', use: 'sig' }],
  })
  const tokens = async () => ({ access_token: 'opaque', token_type: 'bearer', id_token: await idToken(made) })
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return made
}

function reply(lie: Reply | undefined, truth: object, response: ServerResponse): void {
  if (lie !== undefined) return lie(response)
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(truth))
}

async function idToken({ issuer, nonce, lies }: LyingProvider): Promise<string> {
  const now = Math.floor(Date.now() / 1_000)
  const claims = {
    iss: issuer,
    aud: 'evertick',
    sub: 'u-ana',
    iat: now,
    exp: now + 300,
    name: 'Ana',
    email: 'ana@example.com',
    email_verified: true,
    groups: ['ops'],
    ...(nonce === undefined ? {} : { nonce }),
    ...lies.claims,
  } as JWTPayload
  const bytes = (text: string) => new TextEncoder().encode(text)
  switch (lies.signed ?? 'well') {
    case 'well':
      return await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'good' }).sign(good.privateKey)
    case 'by another key':
      return await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'good' }).sign(bad.privateKey)
    case 'not at all':
      return new UnsecuredJWT(claims).encode()
    case 'by HS256 with the public key': {
      const key = bytes(await exportSPKI(good.publicKey))
      return await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'good' }).sign(key)
    }
    case 'by HS256 with the secret':
      return await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(bytes(clientSecret))
  }
}
