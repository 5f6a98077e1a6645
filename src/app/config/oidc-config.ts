/** Where people sign in, and which of them may do what: `api.oidc`, or `EVERTICK_OIDC_*`. */
import { isIP } from 'node:net'
import { z } from 'zod'
import { type AccessRole, accessRoles, isAccessRole } from '../../core/access/access-role.ts'
import { EvertickError } from '../../core/error.ts'
import { type RoleRules, refuseBadRules } from '../access/people/role-rules.ts'
import { checked } from './checked.ts'

export interface OidcOptions {
  /** The issuer's URL, below which it publishes `/.well-known/openid-configuration`. */
  readonly issuer: string
  readonly clientId: string
  /** @default none: a public client, by PKCE alone */
  readonly clientSecret?: string | undefined
  /** What the button calls it. @default the issuer's host */
  readonly name?: string | undefined
  /** Who has which role: `group:ops`, `email:ana@example.com`, `domain:example.com` or `anyone`. */
  readonly roles: RoleRules
  /** The claim with the groups; dots lead inwards. @default 'groups' */
  readonly claim?: string | undefined
  /** @default 'openid profile email' */
  readonly scope?: string | undefined
}

export interface OidcConfig {
  readonly issuer: URL
  readonly clientId: string
  readonly clientSecret: string | null
  readonly name: string
  readonly roles: RoleRules
  readonly claim: string
  readonly scope: string
}

const rules = z.array(z.string()).optional()
export const oidcShape = z.strictObject({
  issuer: z.url(),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1).optional(),
  name: z.string().min(1).max(100).optional(),
  roles: z.strictObject({ admin: rules, operator: rules, viewer: rules }),
  claim: z.string().min(1).optional(),
  scope: z.string().min(1).optional(),
})

/** `from`: who says so, for errors. */
export function oidcConfig(given: OidcOptions, from: 'option' | 'environment'): OidcConfig {
  const { issuer: url, clientId, clientSecret = null, roles, claim = 'groups' } = given
  const issuer = new URL(url)
  const fieldOf = (name: string) =>
    from === 'option' ? `oidc.${name}` : `EVERTICK_OIDC_${name.toUpperCase()}`
  const refuse = (name: string, message: string, next: string) => {
    throw new EvertickError('invalid_config', message, { field: fieldOf(name), next })
  }
  // On this machine, for development, there is nobody between.
  if (issuer.protocol !== 'https:' && !(issuer.protocol === 'http:' && isLoopback(issuer))) {
    refuse('issuer', `The issuer ${issuer.origin} must be an https URL.`, 'Only on 127.0.0.1 may it be http.')
  }
  refuseBadRules({ issuer: url, roles }, fieldOf('roles'))
  const { name = issuer.host, scope = 'openid profile email' } = given
  if (!scope.split(' ').includes('openid'))
    refuse('scope', 'The scope must contain openid.', 'Add it: openid profile email')
  return { issuer, clientId, clientSecret, name, roles, claim, scope }
}

function isLoopback({ hostname }: URL): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
  )
}

/** Undefined where `EVERTICK_OIDC_ISSUER` is not set. */
export function oidcFrom(text: (name: string) => string | undefined): OidcOptions | undefined {
  const issuer = text('EVERTICK_OIDC_ISSUER')
  if (issuer === undefined) return undefined
  const needed = (name: string, why: string) => {
    const value = text(name)
    if (value !== undefined) return value
    throw new EvertickError('invalid_config', `EVERTICK_OIDC_ISSUER is set, but ${name} is not.`, {
      field: name,
      next: why,
    })
  }
  const given = {
    issuer,
    clientId: needed(
      'EVERTICK_OIDC_CLIENT_ID',
      'Register Evertick at your provider, and set what it is called there.',
    ),
    name: text('EVERTICK_OIDC_NAME'),
    roles: rolesFrom(
      needed(
        'EVERTICK_OIDC_ROLES',
        'Say who may do what, such as: admin=group:ops; viewer=domain:example.com',
      ),
    ),
    claim: text('EVERTICK_OIDC_CLAIM'),
    scope: text('EVERTICK_OIDC_SCOPE'),
  }
  return checked(oidcShape, given, 'invalid_config', 'EVERTICK_OIDC_*', Object.keys(oidcShape.shape))
}

/** `admin=group:ops, email:ana@example.com; viewer=domain:example.com`: names may contain spaces. */
function rolesFrom(text: string): RoleRules {
  const roles: Partial<Record<AccessRole, string[]>> = {}
  for (const part of text.split(';')) {
    if (part.trim() === '') continue
    const [role = '', list = ''] = splitOnce(part, '=')
    if (!isAccessRole(role)) {
      throw new EvertickError(
        'invalid_config',
        `EVERTICK_OIDC_ROLES names ${JSON.stringify(role)}, which is no role.`,
        {
          field: 'EVERTICK_OIDC_ROLES',
          next: `Use ${accessRoles.join(', ')}, such as: admin=group:ops; viewer=domain:example.com`,
        },
      )
    }
    const named = list.split(',').map((rule) => rule.trim())
    roles[role] = [...(roles[role] ?? []), ...named.filter((rule) => rule !== '')]
  }
  return roles
}

function splitOnce(text: string, by: string): string[] {
  const at = text.indexOf(by)
  return (at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]).map((part) => part.trim())
}
