/** What a node does that was not told: all in one, with the API wherever it can know whom to let in. */
import { type ApiOptions, apiConfig } from '../../../app/config/api-config.ts'
import { type Role, roles, usualRoles } from '../../../engine/node.ts'

/** On SQLite it makes its own secret; on a server the nodes must share one, so that somebody has to hand it out. */
export function rolesFor(database: string, api: ApiOptions | undefined): readonly Role[] {
  const { secrets, provider } = apiConfig(api)
  return database.startsWith('sqlite:') || secrets.length > 0 || provider !== null ? roles : usualRoles
}

/** What a person is told where no role was asked for and there is no API. */
export const apiIsOff =
  'off: set EVERTICK_JWT_SECRET (`openssl rand -base64 48`), the same on every node, or EVERTICK_JWKS_URL'
