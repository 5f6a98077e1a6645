import { inject } from 'vitest'
import { postgresServer } from '../explorer/server.ts'
import { describeKills, type KilledServer } from '../rig/describe-kills.ts'
import { postgresFile } from '../store/postgres-store.ts'

const url = inject('postgresUrl')

async function open(adminUrl: string): Promise<KilledServer> {
  const file = await postgresFile(adminUrl)
  return {
    file,
    look: async () => await postgresServer(file.url, await file.parts()),
    effects: 'evertick.effects',
    grants: ['GRANT INSERT ON @effects TO PUBLIC'],
  }
}

describeKills(
  'PostgreSQL',
  process.env['EVERTICK_KILL_MOMENTS'],
  url === null ? null : async () => await open(url),
)
