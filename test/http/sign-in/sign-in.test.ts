/** People sign in at a real provider on loopback, as a browser does it. */
import { describe, expect, test } from 'vitest'
import { Jar } from './jar.ts'
import { freePort, type PeopleNode, peopleNode } from './people-node.ts'
import { type RealProvider, realProvider } from './real-provider.ts'

interface Scene extends PeopleNode {
  readonly provider: RealProvider
}

async function scene({
  secret = undefined as string | undefined,
  basePath = '',
  roles = undefined as object | undefined,
} = {}): Promise<Scene> {
  const port = await freePort()
  const app = `http://127.0.0.1:${port}${basePath}`
  const provider = await realProvider({ app, ...(secret === undefined ? {} : { secret }) })
  const made = await peopleNode(
    {
      issuer: provider.issuer,
      ...(secret === undefined ? {} : { clientSecret: secret }),
      ...(roles === undefined ? {} : { roles }),
    },
    { port, basePath },
  )
  return { ...made, provider }
}

/** From a click on the button to the page that it ends on. */
async function signIn({ url, provider }: Scene, sub: string, { to = '/', jar = new Jar() } = {}) {
  const chooser = await jar.follow(`${url}/sign-in/begin?to=${encodeURIComponent(to)}`)
  expect(chooser.url).toContain(`${provider.issuer}/interaction/`)
  const end = await jar.follow(`${chooser.url}/as/${sub}`)
  return { jar, ...end }
}

describe('somebody with a role', () => {
  test.each([
    ['a public client, by PKCE alone', undefined],
    ['a client with a secret', 'a-secret-of-the-client-0123456789'],
  ])('is signed in under their own name, and ends where they were going: %s', async (_what, secret) => {
    const made = await scene({ secret })
    const { jar, url, response } = await signIn(made, 'u-ana', { to: '/jobs/greet/audit?from=1d#newest' })
    expect(url).toBe(`${made.url}/jobs/greet/audit?from=1d#newest`)
    expect(response.status).toBe(200)
    expect(await made.whoIs(jar)).toMatchObject({ actor: 'session:Ana María <u-ana>', role: 'admin' })
    expect(jar.cookie('evertick_sign_in')).toBeUndefined()
  })

  test('what they do is theirs in the audit log, with the subject that never changes and where they came from', async () => {
    const made = await scene()
    const { jar } = await signIn(made, 'u-ana')
    const paused = await fetch(`${made.url}/api/v1/jobs/minutely/pause`, {
      method: 'POST',
      headers: {
        cookie: `evertick_session=${jar.cookie('evertick_session')}`,
        'content-type': 'application/json',
        origin: made.url,
      },
      body: JSON.stringify({ reason: 'moving house' }),
    })
    expect(await paused.json()).toMatchObject({
      pausedBy: 'session:Ana María <u-ana>',
      pausedReason: 'moving house',
    })
    const { entries } = await made.node.evertick.auditLog.list({ actor: 'session:Ana María <u-ana>' })
    expect(entries.map(({ action, origin }) => [action, origin])).toEqual([
      ['job.pause', '127.0.0.1'],
      ['session.create', '127.0.0.1'],
    ])
  })

  test('has the highest role that a rule gives: a verified address of the domain is a viewer', async () => {
    const made = await scene()
    const { jar } = await signIn(made, 'u-bob')
    expect(await made.whoIs(jar)).toMatchObject({ actor: 'session:Bob <u-bob>', role: 'viewer' })
  })

  test('works below a path', async () => {
    const made = await scene({ basePath: '/x/y' })
    const { jar, url } = await signIn(made, 'u-ana', { to: '/jobs' })
    expect(url).toBe(`${made.url}/jobs`)
    expect(await made.whoIs(jar)).toMatchObject({ role: 'admin' })
  })

  test('signs out here and at the provider, who sends them back', async () => {
    const made = await scene()
    const { jar } = await signIn(made, 'u-ana')
    const out = await jar.follow(`${made.url}/sign-in/leave`, (url) => url.startsWith(made.provider.issuer))
    const asked = new URL(out.url)
    expect(asked.pathname).toBe('/session/end')
    expect(asked.searchParams.get('post_logout_redirect_uri')).toBe(`${made.url}/`)
    expect((await jar.get(asked.href)).status).toBe(200)
    expect(jar.cookie('evertick_sign_out')).toBeUndefined()
  })
})

describe('somebody without a role', () => {
  test('is told who they are and whom to ask, gets no session, and is in the audit log', async () => {
    const made = await scene()
    const { jar, response } = await signIn(made, 'u-eve')
    expect(response.status).toBe(403)
    const page = await response.text()
    // The address is Ana's, and nobody has checked it.
    expect(page).toContain('says that you are Eve &lt;u-eve&gt;, ana@example.com. You have no role here.')
    expect(page).toContain('Ask whoever runs this Evertick')
    expect(jar.cookie('evertick_session')).toBeUndefined()
    await made.node.advance('1m')
    const { entries } = await made.node.evertick.auditLog.list({ action: 'api.denied' })
    expect(entries).toMatchObject([
      { actor: 'session:Eve <u-eve>', subject: 'GET /sign-in/callback', after: { code: 'forbidden' } },
    ])
  })
})

describe('a provider that is down', () => {
  test('stops no node, says so on the sign-in page and on the way, and is found once it is back', async () => {
    const made = await scene()
    await made.provider.close()
    const jar = new Jar()
    const { provider } = (await (await jar.get(`${made.url}/api/v1/session/provider`)).json()) as {
      provider: { name: string; problem: string }
    }
    expect(provider.name).toBe(new URL(made.provider.issuer).host)
    expect(provider.problem).toMatch(/^Nobody can sign in at 127\.0\.0\.1:\d+ now\. .*ECONNREFUSED/)
    const clicked = await jar.get(`${made.url}/sign-in/begin`)
    expect(clicked.status).toBe(503)
    expect(await clicked.text()).toContain('sign in with a link')
    expect((await jar.get(`${made.url}/livez`)).status).toBe(200)

    const again = await realProvider({ app: made.url, port: Number(new URL(made.provider.issuer).port) })
    await made.node.advance('6s')
    const { jar: back } = await signIn({ ...made, provider: again }, 'u-ana')
    expect(await made.whoIs(back)).toMatchObject({ role: 'admin' })
  })
})
