/** A real provider of OpenID Connect on loopback, with a page on which one chooses whom to sign in as. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import { onTestFinished } from 'vitest'

export type Account = Readonly<Record<string, unknown>>

/** By subject. */
export const accounts: Readonly<Record<string, Account>> = {
  'u-ana': { name: 'Ana María', email: 'ana@example.com', email_verified: true, groups: ['ops', 'everyone'] },
  'u-bob': { name: 'Bob', email: 'bob@example.com', email_verified: true, groups: ['everyone'] },
  'u-mal': { name: '"><img src=x onerror=alert(1)>{{7*7}}', groups: ['ops'] },
  'u-eve': { name: 'Eve', email: 'ana@example.com', email_verified: false, groups: [] },
}

export interface RealProvider {
  readonly issuer: string
  readonly close: () => Promise<void>
}

export interface ClientOf {
  /** Where Evertick listens, with its base path. */
  readonly app: string
  /** None for a public client. */
  readonly secret?: string
  /** For one that comes back. @default any free one */
  readonly port?: number
}

const signingKey = generateKeyPair('RS256', { extractable: true }).then(async ({ privateKey }) => ({
  ...(await exportJWK(privateKey)),
  kid: 'tests',
  use: 'sig',
}))

/** Closed with its test, unless somebody does before. */
export async function realProvider({ app, secret, port = 0 }: ClientOf): Promise<RealProvider> {
  let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {}
  const server = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client =
    secret === undefined ? { token_endpoint_auth_method: 'none' as const } : { client_secret: secret }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'evertick',
        redirect_uris: [`${app}/sign-in/callback`],
        post_logout_redirect_uris: [`${app}/`],
        ...client,
      },
    ],
    cookies: { keys: ['keys-of-the-tests'] },
    jwks: { keys: [await signingKey] },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: ['openid', 'profile', 'email', 'groups'],
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: async () => ({ sub, ...accounts[sub] }) }),
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true, logoutSource: askBeforeLeaving },
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
  })
  const listener = provider.callback()
  answer = (request, response) => {
    const [, as] = /^\/interaction\/[\w-]+(?:\/as\/([\w-]+))?$/.exec(request.url ?? '') ?? []
    if (as !== undefined) void signedInAs(provider, as, request, response)
    else if (request.url?.startsWith('/interaction/') === true) choose(request.url, response)
    else void listener(request, response)
  }
  const close = async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  onTestFinished(async () => {
    if (server.listening) await close()
  })
  return { issuer, close }
}

/** Its own page would load a font from elsewhere. */
function askBeforeLeaving(ctx: { body: unknown }, form: string): void {
  const button = '<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>'
  ctx.body = `<!doctype html><title>The provider</title>${form}${button}`
}

function choose(path: string, response: ServerResponse): void {
  const links = Object.entries(accounts).map(
    ([sub, { name }]) => `<a href="${path}/as/${sub}">${String(name).replaceAll('<', '&lt;')}</a>`,
  )
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(`<!doctype html><title>The provider</title><h1>The provider</h1>${links.join(' ')}`)
}

/** Signs in, and consents to everything that was asked for. */
async function signedInAs(
  provider: Provider,
  accountId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response)
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) })
  grant.addOIDCScope(String(params.scope))
  await provider.interactionFinished(request, response, {
    login: { accountId },
    consent: { grantId: await grant.save() },
  })
}
