/** From what a provider says of a person to a role here: the highest of which one rule fits. */
import { type AccessRole, accessRoles } from '../../../core/access/access-role.ts'
import { EvertickError } from '../../../core/error.ts'
import { isRecord } from '../../../core/unknown-value.ts'

/** `group:ops`, `email:ana@example.com`, `domain:example.com`, or `anyone`. */
export type RoleRules = { readonly [role in AccessRole]?: readonly string[] | undefined }

export type Claims = Readonly<Record<string, unknown>>

export interface RoleSource {
  readonly issuer: string
  readonly roles: RoleRules
  /** The claim that has the groups. */
  readonly claim: string
}

/** Null where no rule fits. */
export function roleOf(claims: Claims, { issuer, roles, claim }: RoleSource): AccessRole | null {
  const groups = groupsOf(claims, claim)
  const email = verifiedEmail(claims)
  const domain = isGoogle(issuer) ? claims.hd : email?.split('@').at(-1)
  const fits = (rule: string) => {
    if (rule === 'anyone') return true
    const [kind, wanted] = partsOf(rule)
    if (kind === 'group') return groups.includes(wanted)
    if (kind === 'email') return email === wanted.toLowerCase()
    return typeof domain === 'string' && domain.toLowerCase() === wanted.toLowerCase()
  }
  return accessRoles.toReversed().find((role) => roles[role]?.some(fits) === true) ?? null
}

/** A rule that could never fit, or fits more people than it says, is refused at the start. */
export function refuseBadRules({ issuer, roles }: Pick<RoleSource, 'issuer' | 'roles'>, field: string): void {
  const rules = accessRoles.flatMap((role) => roles[role] ?? [])
  const refuse = (message: string, next: string) => {
    throw new EvertickError('invalid_config', message, { field, next })
  }
  if (rules.length === 0) {
    refuse(
      'Nobody who signs in would have a role.',
      'Give one, such as: admin=group:ops; viewer=domain:example.com',
    )
  }
  for (const rule of rules) {
    if (rule === 'anyone') {
      if (!isGoogle(issuer)) continue
      refuse(
        'Anyone can have an account at Google.',
        'Name the domain of your organisation: domain:example.com',
      )
    }
    const [kind, wanted] = partsOf(rule)
    if (['group', 'email', 'domain'].includes(kind) && wanted !== '') continue
    refuse(`${JSON.stringify(rule)} is not a rule.`, 'Write group:…, email:…, domain:… or anyone.')
  }
}

function partsOf(rule: string): [kind: string, wanted: string] {
  const at = rule.indexOf(':')
  return at < 0 ? [rule, ''] : [rule.slice(0, at), rule.slice(at + 1)]
}

/** The claim by its whole name, which may contain dots, else by a path: `realm_access.roles`. */
function groupsOf(claims: Claims, claim: string): readonly unknown[] {
  const found = Object.hasOwn(claims, claim) ? claims[claim] : claim.split('.').reduce(inside, claims)
  if (Array.isArray(found)) return found
  return found === undefined ? [] : [found]
}

function inside(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** Anybody can claim an address that nobody has checked. */
function verifiedEmail({ email, email_verified: isVerified }: Claims): string | undefined {
  return typeof email === 'string' && isVerified === true ? email.toLowerCase() : undefined
}

/**
 * A private account at Google may have a verified address of an organisation that it has long left: `hd` says that the
 * organisation itself manages the account.
 */
function isGoogle(issuer: string): boolean {
  return new URL(issuer).hostname === 'accounts.google.com'
}
