/** Those who want in without being let in: by the browser, by the provider's answers, or by what the provider is told to be. */
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { SignInStates } from '../../../src/app/access/people/sign-in-state.ts'
import { SigningKeys } from '../../../src/app/access/signing-keys.ts'
import { Jar } from './jar.ts'
import { clientSecret, type Lies } from './lying-provider.ts'
import { answered, begun, outcome, scene } from './lying-scene.ts'
import { freePort, peopleNode } from './people-node.ts'
import { realProvider } from './real-provider.ts'

test('without a lie, the same way leads in', async () => {
  const made = await scene()
  expect(await outcome(made)).toMatchObject({ status: 302, isIn: true })
  expect(await made.whoIs(made.jar)).toMatchObject({ actor: 'session:Ana <u-ana>', role: 'admin' })
})

test('a node with the same secret takes up what another has begun', async () => {
  const made = await scene()
  const asked = await begun(made)
  const other = await peopleNode({ issuer: made.provider.issuer, clientSecret })
  made.jar.put(other.url, 'evertick_sign_in', made.jar.cookie('evertick_sign_in') ?? '', '/sign-in')
  const { status } = await answered({ ...made, url: other.url }, { state: asked.get('state') ?? '' })
  expect(status).toBe(302)
  expect(await other.whoIs(made.jar)).toMatchObject({ actor: 'session:Ana <u-ana>', role: 'admin' })
})

describe('by the browser', () => {
  test('a callback without the cookie of the sign-in is refused, and the provider is not asked', async () => {
    const made = await scene()
    const asked = await begun(made)
    const stranger = { ...made, jar: new Jar() }
    const { status, page } = await answered(stranger, { state: asked.get('state') ?? '' })
    expect([status, made.provider.asked.length]).toEqual([401, 0])
    expect(page).toContain('was not begun in this browser')
  })

  test.each([
    ['a state that somebody made up', () => ({ state: 'made-up' })],
    ['an empty state', () => ({ state: '' })],
    ['the state with a letter more', (state: string) => ({ state: `${state}x` })],
    ['the iss of another provider (mix-up)', (state: string) => ({ state, iss: 'https://evil.example' })],
    ['an iss that only begins like ours', (state: string) => ({ state, iss: 'http://127.0.0.1' })],
    ['an error of the provider', (state: string) => ({ state, error: 'access_denied' })],
  ])('%s is refused, and the provider is not asked', async (_what, of) => {
    const made = await scene()
    const asked = await begun(made)
    const { status } = await answered(made, of(asked.get('state') ?? ''))
    expect([status, made.provider.asked.length]).toEqual([401, 0])
    expect(made.jar.cookie('evertick_session')).toBeUndefined()
  })

  test('an answer without iss is refused where the provider says that it sends one', async () => {
    const made = await scene()
    const asked = await begun(made)
    const url = `${made.url}/sign-in/callback?code=a-code&state=${asked.get('state')}`
    expect((await made.jar.get(url)).status).toBe(401)
    expect(made.provider.asked).toEqual([])
  })

  test('a parameter that comes twice is refused', async () => {
    const made = await scene()
    const state = (await begun(made)).get('state')
    const iss = encodeURIComponent(made.provider.issuer)
    for (const twice of [`state=${state}`, 'code=another', `iss=${iss}`]) {
      const url = `${made.url}/sign-in/callback?code=a-code&state=${state}&iss=${iss}&${twice}`
      expect([twice, (await made.jar.get(url)).status]).toEqual([twice, 401])
    }
  })

  test('the state of a sign-in that is over does not begin another: its cookie is gone', async () => {
    const made = await scene()
    const asked = await begun(made)
    const state = { state: asked.get('state') ?? '' }
    expect((await answered(made, state)).status).toBe(302)
    expect((await answered(made, state)).status).toBe(401)
    expect(made.provider.asked).toHaveLength(1)
  })

  test('ten minutes later it is too late', async () => {
    const made = await scene()
    const asked = await begun(made)
    await made.node.advance('11m')
    expect((await answered(made, { state: asked.get('state') ?? '' })).status).toBe(401)
    expect(made.provider.asked).toEqual([])
  })

  test('a cookie that another secret has signed is worth nothing', async () => {
    const made = await scene()
    const asked = await begun(made)
    const others = new SignInStates(
      new SigningKeys(['another-secret-of-another-fleet-0123456789']),
      made.node.clock,
    )
    const flow = {
      nonce: 'n',
      verifier: 'v'.repeat(43),
      redirectUri: `${made.url}/sign-in/callback`,
      to: '/',
    }
    const state = asked.get('state') ?? ''
    made.jar.put(made.url, 'evertick_sign_in', await others.seal({ ...flow, state }), '/sign-in')
    expect((await answered(made, { state })).status).toBe(401)
    expect(made.provider.asked).toEqual([])
  })

  test('the cookies of a sign-in and of a session are not taken for each other', async () => {
    const made = await scene()
    const asked = await begun(made)
    const sealed = made.jar.cookie('evertick_sign_in') ?? ''
    const session = new Jar()
    session.put(made.url, 'evertick_session', sealed)
    expect((await session.get(`${made.url}/api/v1/session`)).status).toBe(401)
    const state = asked.get('state') ?? ''
    expect((await answered(made, { state })).status).toBe(302)
    made.jar.put(made.url, 'evertick_sign_in', made.jar.cookie('evertick_session') ?? '', '/sign-in')
    expect((await answered(made, { state })).status).toBe(401)
  })

  test('a code that was given to another browser opens nothing: a real provider asks for its verifier', async () => {
    const port = await freePort()
    const provider = await realProvider({ app: `http://127.0.0.1:${port}` })
    const made = await peopleNode({ issuer: provider.issuer }, { port })
    const back = `${made.url}/sign-in/callback`
    const upToTheCode = async (jar: Jar, sub: string) => {
      const chooser = await jar.follow(`${made.url}/sign-in/begin`)
      const { url } = await jar.follow(`${chooser.url}/as/${sub}`, (next) => next.startsWith(back))
      return new URL(url).searchParams
    }
    const [victim, thief] = [new Jar(), new Jar()]
    const [theirs, stolen] = [await upToTheCode(thief, 'u-bob'), await upToTheCode(victim, 'u-ana')]
    // The thief's own sign-in, with Ana's code in it.
    theirs.set('code', stolen.get('code') ?? '')
    const response = await thief.get(`${back}?${theirs.toString()}`)
    expect([response.status, thief.cookie('evertick_session')]).toEqual([401, undefined])
    expect(await response.text()).toContain('It says: invalid_grant.')
  })
})

describe('by what the provider, or somebody in its place, answers', () => {
  const lies: [string, Lies][] = [
    ['no nonce', { claims: { nonce: undefined } }],
    ['the nonce of another sign-in', { claims: { nonce: 'another' } }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['another audience', { claims: { aud: 'another-client' } }],
    ['two audiences, and authorized for the other', { claims: { aud: ['evertick', 'other'], azp: 'other' } }],
    ['no audience', { claims: { aud: undefined } }],
    ['an end that is past', { claims: { exp: Math.floor(Date.now() / 1_000) - 120 } }],
    ['no end', { claims: { exp: undefined } }],
    ['a beginning that is still to come', { claims: { nbf: Math.floor(Date.now() / 1_000) + 600 } }],
    ['no subject', { claims: { sub: undefined } }],
    ['an empty subject', { claims: { sub: '' } }],
    ['a subject of 300 characters', { claims: { sub: 'x'.repeat(300) } }],
    ['a subject that looks like a name and another', { claims: { sub: 'Bob <u-bob>' } }],
    ['a subject that turns the line around', { claims: { sub: 'u-\u202eana' } }],
    ['the signature of another key', { signed: 'by another key' }],
    ['no signature (alg none)', { signed: 'not at all' }],
    ['HS256 with the public key', { signed: 'by HS256 with the public key' }],
    ['HS256 with the secret of the client', { signed: 'by HS256 with the secret' }],
    [
      'HS256 with the public key, and metadata that offers it',
      {
        signed: 'by HS256 with the public key',
        metadata: { id_token_signing_alg_values_supported: ['RS256', 'HS256'] },
      },
    ],
    [
      'no signature, and metadata that offers none',
      { signed: 'not at all', metadata: { id_token_signing_alg_values_supported: ['RS256', 'none'] } },
    ],
  ]
  test.each(lies)('an ID token with %s lets nobody in', async (_what, lie) => {
    const { status, isIn } = await outcome(await scene(lie))
    expect([status, isIn]).toEqual([401, false])
  })

  test('what the userinfo of somebody else says does not count', async () => {
    const made = await scene({ claims: { groups: [] }, userinfo: { sub: 'u-bob', groups: ['ops'] } })
    expect(await outcome(made)).toMatchObject({ status: 401, isIn: false })
  })

  test('what the ID token says goes before its own userinfo', async () => {
    const made = await scene({
      claims: { groups: ['ops'] },
      userinfo: { sub: 'u-ana', groups: [], name: 'Nobody' },
    })
    expect(await outcome(made)).toMatchObject({ status: 302, isIn: true })
    expect(await made.whoIs(made.jar)).toMatchObject({ actor: 'session:Ana <u-ana>', role: 'admin' })
  })

  test('an address of one source is not verified by the word of the other', async () => {
    const made = await scene({
      claims: { groups: [], email: 'ana@example.com', email_verified: undefined },
      userinfo: { sub: 'u-ana', email: 'mallory@evil.test', email_verified: true },
    })
    expect(await outcome(made)).toMatchObject({ status: 403, isIn: false })
  })

  const json = (value: unknown) => (response: ServerResponse) => {
    response.setHeader('content-type', 'application/json')
    response.end(typeof value === 'string' ? value : JSON.stringify(value))
  }
  const redirect = (to: string) => (response: ServerResponse) =>
    void response.writeHead(302, { location: to }).end()
  const broken: [string, Lies][] = [
    ['text for tokens', { token: (response) => void response.end('<html>') }],
    ['broken JSON for tokens', { token: json('{"access_token":') }],
    ['500 for tokens', { token: (response) => void response.writeHead(500).end() }],
    [
      'a redirect to the metadata of the machine for tokens',
      { token: redirect('http://169.254.169.254/latest') },
    ],
    ['100 MB for tokens', { token: (response) => void response.end(Buffer.alloc(100 * 1_048_576)) }],
    ['nothing, and hangs up', { token: (response) => void response.destroy() }],
    [
      'that it does not know us',
      {
        token: (response) => {
          response.statusCode = 401
          json({ error: 'invalid_client' })(response)
        },
      },
    ],
    ['broken JSON for its keys', { keys: json('[') }],
    ['a redirect for its keys', { keys: redirect('http://169.254.169.254/latest') }],
  ]
  test.each(broken)('%s: the page says that it is the provider', async (_what, lie) => {
    const { status, page, isIn } = await outcome(await scene(lie))
    expect([status, isIn]).toEqual([503, false])
    expect(page).toMatch(/Nobody can sign in at 127\.0\.0\.1:\d+ now\./)
    expect(page).not.toContain('169.254')
  })

  const misled: [string, Lies][] = [
    ['another issuer', { metadata: { issuer: 'https://evil.example' } }],
    ['broken JSON', { discovery: json('{') }],
    ['no JSON', { discovery: (response) => void response.end('hello') }],
    ['a redirect to the metadata of the machine', { discovery: redirect('http://169.254.169.254/') }],
    ['an array', { discovery: json([]) }],
  ]
  test.each(misled)('a discovery that answers with %s begins no sign-in', async (_what, lie) => {
    const { url, jar } = await scene(lie)
    expect((await jar.get(`${url}/sign-in/begin`)).status).toBe(503)
    expect(await (await jar.get(`${url}/api/v1/session/provider`)).text()).toContain('Nobody can sign in')
  })

  test.each([
    'http://169.254.169.254/token',
    'http://[fd00:ec2::254]/token',
    'http://10.0.0.1/token',
    'http://metadata.google.internal/token',
    'http://localhost:1/token',
    'file:///etc/passwd',
  ])('a token endpoint at %s is not called: only the issuer itself may be private', async (endpoint) => {
    const made = await scene({ metadata: { token_endpoint: endpoint } })
    expect(await outcome(made)).toMatchObject({ isIn: false })
    expect(made.provider.asked).toEqual([])
  })

  test('a provider that never answers holds up nobody but the one who waits', async () => {
    const held: ServerResponse[] = []
    const arrived = Promise.withResolvers<void>()
    const made = await scene({ discovery: (response) => arrived.resolve(void held.push(response)) })
    const waiting = made.jar.get(`${made.url}/sign-in/begin`)
    await arrived.promise
    expect((await fetch(`${made.url}/readyz`)).status).toBe(200)
    for (const response of held) response.destroy()
    expect((await waiting).status).toBe(503)
  })
})
