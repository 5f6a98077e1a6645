/** A real node that listens on a port of its own, and clients of it. */

import { onTestFinished } from 'vitest'
import { openAccess } from '../../src/app/access/open-access.ts'
import { contextOf } from '../../src/app/app-context.ts'
import { apiConfig } from '../../src/app/config/api-config.ts'
import { type Client, type ClientOptions, createClient } from '../../src/client/index.ts'
import type { AccessRole } from '../../src/core/access/access-role.ts'
import { Evertick } from '../../src/index.ts'
import { jobs, secret } from '../http/api-under-test.ts'

export interface ServedNode {
  readonly evertick: Evertick
  readonly url: string
  readonly tokenFor: (role: AccessRole) => Promise<string>
  /** As an administrator. */
  readonly client: Client
  readonly clientOf: (options: Partial<ClientOptions>) => Client
}

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Ends with its test. */
export async function serveNode({
  database = 'sqlite::memory:',
  port = 0,
}: {
  database?: string
  port?: number
} = {}): Promise<ServedNode> {
  const evertick = await Evertick.open({
    database,
    jobs,
    roles: ['scheduler', 'worker', 'api'],
    api: { host: '127.0.0.1', port, secrets: [secret] },
    logger: quiet,
  })
  onTestFinished(() => evertick.stop({ timeout: '5s' }))
  await evertick.start()
  const url = evertick.url ?? ''
  const access = openAccess(contextOf(evertick), apiConfig({ secrets: [secret] }))
  const tokenFor = async (role: AccessRole) => (await access.createToken({ name: role, role })).token
  const token = await tokenFor('admin')
  const clientOf = (options: Partial<ClientOptions>) => createClient({ url, token, ...options })
  return { evertick, url, tokenFor, client: clientOf({}), clientOf }
}
