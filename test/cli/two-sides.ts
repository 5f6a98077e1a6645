/** A database, and a server of one just like it: for commands that must not tell them apart. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { openAccess } from '../../src/app/access/open-access.ts'
import { contextOf } from '../../src/app/app-context.ts'
import { apiConfig } from '../../src/app/config/api-config.ts'
import { Evertick } from '../../src/index.ts'
import { secret } from '../http/api-under-test.ts'
import { makeHistory } from './history.ts'

export interface Side {
  readonly evertick: Evertick
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface TwoSides {
  readonly folder: string
  readonly local: Side
  readonly remote: Side
}

/** Opened once for the tests of a file: the function gives them while the tests run. */
export function twoSides(): () => TwoSides {
  let sides: TwoSides
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evertick-remote-'))
    const history = await makeHistory()
    const file = join(history.folder, 'history.db')
    const local = await openNode(folder, 'local', file)
    const remote = await openNode(folder, 'remote', file)
    rmSync(history.folder, { recursive: true, force: true })
    const env = { EVERTICK_JWT_SECRET: secret }
    sides = {
      folder,
      local: { evertick: local.evertick, flags: ['--database', local.database], env },
      remote: {
        evertick: remote.evertick,
        flags: ['--url', remote.evertick.url ?? ''],
        env: { ...env, EVERTICK_TOKEN: remote.token },
      },
    }
  })
  afterAll(async () => {
    for (const { evertick } of [sides.local, sides.remote]) await evertick.stop()
    rmSync(sides.folder, { recursive: true, force: true })
  })
  return () => sides
}

async function openNode(
  folder: string,
  name: string,
  history: string,
): Promise<{ evertick: Evertick; database: string; token: string }> {
  const file = join(folder, `${name}.db`)
  copyFileSync(history, file)
  const database = `sqlite:${file}`
  const api = { port: 0, secrets: [secret] }
  const evertick = await Evertick.open({ database, nodeId: 'the-node', roles: ['api'], api })
  await evertick.start()
  await evertick.locks.acquire('import', { ttl: '1h' })
  const access = openAccess(contextOf(evertick), apiConfig({ secrets: [secret] }))
  const { token } = await access.createToken({ name: 'tests', role: 'admin' })
  return { evertick, database, token }
}
