/** A node whose people sign in at the provider that lies, and a browser on its way there and back. */
import { expect } from 'vitest'
import { Jar } from './jar.ts'
import { clientSecret, type Lies, type LyingProvider, lyingProvider } from './lying-provider.ts'
import { type PeopleNode, peopleNode } from './people-node.ts'

export interface Scene extends PeopleNode {
  readonly provider: LyingProvider
  readonly jar: Jar
}

export async function scene(
  lies: Lies = {},
  roles = { admin: ['group:ops'], viewer: ['domain:example.com'] },
): Promise<Scene> {
  const provider = await lyingProvider()
  Object.assign(provider.lies, lies)
  const made = await peopleNode({ issuer: provider.issuer, clientSecret, roles })
  return { ...made, provider, jar: new Jar() }
}

/** Up to the provider, which is told the nonce; its answer is then the test's. */
export async function begun({ url, provider, jar }: Scene): Promise<URLSearchParams> {
  const sent = await jar.get(`${url}/sign-in/begin?to=/jobs`)
  expect(sent.status).toBe(302)
  const { searchParams } = new URL(sent.headers.get('location') ?? '')
  provider.nonce = searchParams.get('nonce') ?? undefined
  return searchParams
}

export async function answered({ url, provider, jar }: Scene, answer: Record<string, string>) {
  const search = new URLSearchParams({ code: 'a-code', iss: provider.issuer, ...answer })
  const response = await jar.get(`${url}/sign-in/callback?${search.toString()}`)
  return { status: response.status, location: response.headers.get('location'), page: await response.text() }
}

/** What came of a whole sign-in: nobody is in, unless there is a session. */
export async function outcome(made: Scene) {
  const asked = await begun(made)
  const { status, page } = await answered(made, { state: asked.get('state') ?? '' })
  return { status, page, isIn: made.jar.cookie('evertick_session') !== undefined }
}
