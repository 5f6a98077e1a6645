/** A node on the real clock, with its API on a port: for what one watches happen. It can be stopped and come back later. */
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/app/cluster/system-clock.ts'
import { signInLink } from '../../src/cli/commands/access/login.ts'
import type { AccessRole } from '../../src/core/access/access-role.ts'
import { accessOf } from '../../src/http/mounts/server.ts'
import { Evertick, type EvertickOptions, type Logger } from '../../src/index.ts'

export const secrets = ['a-secret-of-the-tests-0123456789-abcdefghij']

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

export interface LiveNode {
  readonly evertick: Evertick
  readonly url: string
  /** To sign in with, once. */
  readonly link: (role?: AccessRole) => Promise<string>
  readonly token: (role: AccessRole) => Promise<string>
  /** Stops, and comes back after so much time has passed for it: only its clock has waited. */
  readonly backAfter: (ms: number) => Promise<LiveNode>
  readonly stop: () => Promise<void>
}

/** On a database of its own, which goes with it. */
export async function openLiveNode(options: Partial<EvertickOptions> = {}): Promise<LiveNode> {
  const folder = await mkdtemp(join(tmpdir(), 'evertick-live-'))
  return await startedIn(folder, options, { aheadMs: 0, port: 0 })
}

interface At {
  /** So far is its clock ahead of the host's. */
  readonly aheadMs: number
  readonly port: number
}

async function startedIn(
  folder: string,
  options: Partial<EvertickOptions>,
  { aheadMs, port }: At,
): Promise<LiveNode> {
  const evertick = await Evertick.open({
    database: `sqlite:${join(folder, 'evertick.db')}`,
    roles: ['scheduler', 'worker', 'api'],
    api: { host: '127.0.0.1', port, secrets },
    logger: silent,
    clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
    ...options,
  })
  await evertick.start()
  const { url } = evertick
  if (url === null) throw new Error('The node does not listen.')
  const access = accessOf(evertick, { secrets })
  return {
    evertick,
    url,
    link: async (role = 'admin') => signInLink(url, (await access.createLink({ role, actor: 'ana' })).code),
    token: async (role) => (await access.createToken({ role })).token,
    backAfter: async (ms) => {
      await evertick.stop()
      return await startedIn(folder, options, { aheadMs: aheadMs + ms, port: Number(new URL(url).port) })
    },
    stop: async () => {
      await evertick.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
