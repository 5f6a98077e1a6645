import { inject } from 'vitest'
import { mysqlServer } from '../explorer/server.ts'
import { describeKills, type KilledServer } from '../rig/describe-kills.ts'
import { mysqlFile } from '../store/mysql-store.ts'

const url = inject('mysqlUrl')

async function open(adminUrl: string): Promise<KilledServer> {
  const file = await mysqlFile(adminUrl)
  return {
    file,
    look: async () => await mysqlServer(file.url, await file.parts()),
    effects: 'evertick_effects',
    grants: [],
  }
}

describeKills(
  'MariaDB',
  process.env['EVERTICK_KILL_MOMENTS'],
  url === null ? null : async () => await open(url),
)
