/** What a node does: as `--role` says, or what suits its database. */
import { type ApiOptions, apiConfig } from '../../../app/config/api-config.ts'
import { EvertickError } from '../../../core/error.ts'
import { didYouMean } from '../../../core/schedule/did-you-mean.ts'
import { type Role, roles, usualRoles } from '../../../engine/node.ts'

/** `--role scheduler --role worker`, or `--role scheduler,worker`. */
export function rolesOf(given: readonly string[] | undefined): Role[] | null {
  if (given === undefined) return null
  return [...new Set(given.flatMap((text) => text.split(',').map((role) => roleOf(role.trim()))))]
}

function roleOf(text: string): Role {
  const role = roles.find((known) => known === text)
  if (role !== undefined) return role
  const near = didYouMean(text, roles)
  throw new EvertickError('invalid_option', `${JSON.stringify(text)} is no role.`, {
    field: '--role',
    next: near === undefined ? `Use one of ${roles.join(', ')}.` : `Did you mean "${near}"?`,
  })
}

/**
 * All in one where no role was asked for. On SQLite the API makes its own secret; on a server the nodes must share one, so
 * that somebody has to hand it out.
 */
export function rolesFor(database: string, api: ApiOptions | undefined): readonly Role[] {
  const { secrets, provider } = apiConfig(api)
  return database.startsWith('sqlite:') || secrets.length > 0 || provider !== null ? roles : usualRoles
}

/** What a person is told where no role was asked for and there is no API. */
export const apiIsOff =
  'off: set EVERTICK_JWT_SECRET (`openssl rand -base64 48`), the same on every node, or EVERTICK_JWKS_URL'
