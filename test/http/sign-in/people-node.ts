/** A node with its API on a port, whose people sign in at the given provider. */
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { openAccess } from '../../../src/app/access/open-access.ts'
import { contextOf } from '../../../src/app/app-context.ts'
import { type ApiOptions, apiConfig } from '../../../src/app/config/api-config.ts'
import type { OidcOptions } from '../../../src/app/config/oidc-config.ts'
import { serve } from '../../../src/http/serve.ts'
import { openTestNode, type TestNode } from '../../../src/testing/index.ts'
import { jobs, secret } from '../api-under-test.ts'
import type { Jar } from './jar.ts'

export interface PeopleNode {
  readonly node: TestNode
  readonly url: string
  /** As `GET /session` says with the session of this browser. */
  readonly whoIs: (jar: Jar) => Promise<Record<string, unknown>>
  readonly log: readonly string[]
}

export const groupRoles = { admin: ['group:ops'], viewer: ['domain:example.com'] }

/** The port is known before the provider is, which must know the callback. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No port.')
  return address.port
}

export async function peopleNode(
  oidc: Partial<OidcOptions> & Pick<OidcOptions, 'issuer'>,
  options: Partial<ApiOptions> = {},
): Promise<PeopleNode> {
  const log: string[] = []
  const write = (message: string, details?: object) =>
    void log.push(`${message} ${JSON.stringify(details ?? null)}`)
  const logger = { debug: write, info: write, warn: write, error: write }
  // The provider signs by the real time, and a node checks by its own.
  const node = await openTestNode({ jobs, logger, start: new Date() })
  const { evertick } = node
  const config = apiConfig({
    host: '127.0.0.1',
    port: 0,
    secrets: [secret],
    oidc: { clientId: 'evertick', roles: groupRoles, scope: 'openid profile email groups', ...oidc },
    ...options,
  })
  const app = contextOf(evertick)
  const running = await serve({ evertick, app, access: openAccess(app, config), logger }, config)
  onTestFinished(async () => {
    await running.close()
    await node.stop()
  })
  return {
    node,
    url: running.url,
    log,
    whoIs: async (jar) =>
      (await (await jar.get(`${running.url}/api/v1/session`)).json()) as Record<string, unknown>,
  }
}
