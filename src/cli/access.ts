/** The tokens and links of the database that a command works on. */
import type { Access } from '../app/access/access.ts'
import { apiConfig } from '../app/api-config.ts'
import { type Cli, databaseOf, type Session } from './session.ts'

/** Loaded when it is asked for: most commands sign nothing. */
export async function accessOf(cli: Cli, { evertick, settings }: Session): Promise<Access> {
  const { openAccess } = await import('../app/access/open-access.ts')
  return openAccess(evertick, databaseOf(cli, settings, false), apiConfig(settings.options.api))
}
