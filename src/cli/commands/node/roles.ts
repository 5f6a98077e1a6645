/** The roles of a node: those of `--role`, or the ones that suit its database. */
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
  throw new EvertickError('invalid_option', `${JSON.stringify(text)} is not a role.`, {
    field: '--role',
    next: near === undefined ? `Use one of ${roles.join(', ')}.` : `Did you mean "${near}"?`,
  })
}

/**
 * Without `--role`: all of them, if the API has a secret. On SQLite it creates its own. On a database server all nodes
 * must share one, so somebody has to set it.
 */
export function rolesFor(database: string, api: ApiOptions | undefined): readonly Role[] {
  const { secrets, provider } = apiConfig(api)
  return database.startsWith('sqlite:') || secrets.length > 0 || provider !== null ? roles : usualRoles
}

/** Shown if there is no API although no `--role` excluded it. */
export const apiIsOff =
  'off: set EVERTICK_JWT_SECRET to the same value on every node (`openssl rand -base64 48`), or set EVERTICK_JWKS_URL'
