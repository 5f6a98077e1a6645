/** From claims to a role: what each provider says, and what must not be enough. */
import { expect, test } from 'vitest'
import {
  type Claims,
  type RoleSource,
  refuseBadRules,
  roleOf,
} from '../../../src/app/access/people/role-rules.ts'

const google = 'https://accounts.google.com/'
const other = 'https://login.example.com/'
const source = (roles: RoleSource['roles'], given: Partial<RoleSource> = {}): RoleSource => ({
  issuer: other,
  claim: 'groups',
  roles,
  ...given,
})

test.each<[string, Claims, RoleSource, string | null]>([
  ['Okta, by groups', { groups: ['Everyone', 'Ops Team'] }, source({ admin: ['group:Ops Team'] }), 'admin'],
  [
    'Entra, by the ids of groups',
    { groups: ['6e1f-01'] },
    source({ operator: ['group:6e1f-01'] }),
    'operator',
  ],
  [
    'Entra, by roles of the application',
    { roles: ['Ops'] },
    source({ admin: ['group:Ops'] }, { claim: 'roles' }),
    'admin',
  ],
  [
    'Keycloak, by roles of the realm',
    { realm_access: { roles: ['ops'] } },
    source({ admin: ['group:ops'] }, { claim: 'realm_access.roles' }),
    'admin',
  ],
  [
    'Keycloak, by the path of a group',
    { groups: ['/acme/ops'] },
    source({ admin: ['group:/acme/ops'] }),
    'admin',
  ],
  [
    'Auth0, by a claim with a name space',
    { 'https://example.com/groups': ['ops'] },
    source({ admin: ['group:ops'] }, { claim: 'https://example.com/groups' }),
    'admin',
  ],
  ['a single group as text', { groups: 'ops' }, source({ admin: ['group:ops'] }), 'admin'],
  [
    'Google, by the organisation',
    { hd: 'Example.com' },
    source({ viewer: ['domain:example.com'] }, { issuer: google }),
    'viewer',
  ],
  [
    'Google, a private account with an address of the organisation',
    { email: 'ana@example.com', email_verified: true },
    source({ viewer: ['domain:example.com'] }, { issuer: google }),
    null,
  ],
  [
    'hd of a provider that is not Google',
    { hd: 'example.com' },
    source({ viewer: ['domain:example.com'] }),
    null,
  ],
  [
    'a verified address',
    { email: 'Ana@Example.com', email_verified: true },
    source({ admin: ['email:ana@example.com'], viewer: ['domain:example.com'] }),
    'admin',
  ],
  [
    'the highest of several',
    { groups: ['b', 'a'], email: 'ana@example.com', email_verified: true },
    source({ viewer: ['domain:example.com'], operator: ['group:a'], admin: ['group:c'] }),
    'operator',
  ],
  ['anyone', {}, source({ viewer: ['anyone'] }), 'viewer'],
  [
    'a group by the name of a method',
    {},
    source({ admin: ['group:toString'] }, { claim: 'constructor.name' }),
    null,
  ],
  ['nothing at all', {}, source({ admin: ['group:undefined'] }), null],
])('%s', (_what, claims, from, role) => {
  expect(roleOf(claims, from)).toBe(role)
})

test.each([
  [{}, other, 'Nobody who signs in would have a role.'],
  [{ admin: ['ops'] }, other, '"ops" is not a rule.'],
  [{ admin: ['group:'] }, other, '"group:" is not a rule.'],
  [{ admin: ['grup:ops'] }, other, '"grup:ops" is not a rule.'],
  [{ viewer: ['anyone'] }, google, 'Anyone can have an account at Google.'],
])('the rules %j are refused at the start', (roles, issuer, message) => {
  expect(() => refuseBadRules({ roles, issuer }, 'oidc')).toThrow(message)
})
