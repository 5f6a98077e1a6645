/** How a node learns where its people sign in, and which proxies it believes. */
import { writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { apiConfig, mountConfig } from '../../../src/app/config/api-config.ts'
import { apiFromEnvironment } from '../../../src/app/config/environment.ts'
import { oidcConfig } from '../../../src/app/config/oidc-config.ts'

const full = {
  EVERTICK_OIDC_ISSUER: 'https://login.example.com/realms/acme',
  EVERTICK_OIDC_CLIENT_ID: 'evertick',
  EVERTICK_OIDC_ROLES: 'admin = group:Site Admins, email:ana@example.com; viewer=domain:example.com;',
}

test('the environment says all that an option can, with the secret in a file', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'evertick-oidc-')), 'secret')
  writeFileSync(file, 'a-secret\n')
  const { oidc, oidcSecret } = apiFromEnvironment({
    ...full,
    EVERTICK_OIDC_CLIENT_SECRET_FILE: file,
    EVERTICK_OIDC_NAME: 'Acme',
    EVERTICK_OIDC_CLAIM: 'roles',
    EVERTICK_OIDC_SCOPE: 'openid email',
  })
  expect(oidc).toEqual({
    issuer: 'https://login.example.com/realms/acme',
    clientId: 'evertick',
    name: 'Acme',
    roles: { admin: ['group:Site Admins', 'email:ana@example.com'], viewer: ['domain:example.com'] },
    claim: 'roles',
    scope: 'openid email',
  })
  expect(oidcSecret).toBe('a-secret')
})

test('the secret alone may come from the environment', () => {
  vi.stubEnv('EVERTICK_OIDC_CLIENT_SECRET', 'a-secret')
  const oidc = { issuer: 'https://login.example.com', clientId: 'evertick', roles: { admin: ['group:ops'] } }
  expect(apiConfig({ oidc }).oidc?.clientSecret).toBe('a-secret')
  expect(apiConfig({ oidc: { ...oidc, clientSecret: 'its-own' } }).oidc?.clientSecret).toBe('its-own')
})

test('what is not said has a sensible default', () => {
  const { oidc } = apiFromEnvironment(full)
  expect(oidc && oidcConfig(oidc, 'environment')).toMatchObject({
    clientSecret: null,
    name: 'login.example.com',
    claim: 'groups',
    scope: 'openid profile email',
  })
  expect(apiFromEnvironment({}).oidc).toBeUndefined()
})

test.each([
  [{ EVERTICK_OIDC_CLIENT_ID: '' }, 'EVERTICK_OIDC_ISSUER is set, but EVERTICK_OIDC_CLIENT_ID is not.'],
  [{ EVERTICK_OIDC_ROLES: '' }, 'EVERTICK_OIDC_ISSUER is set, but EVERTICK_OIDC_ROLES is not.'],
  [{ EVERTICK_OIDC_ROLES: 'admins=group:ops' }, 'EVERTICK_OIDC_ROLES names "admins", which is no role.'],
  [{ EVERTICK_OIDC_ROLES: 'group:ops' }, 'EVERTICK_OIDC_ROLES names "group:ops", which is no role.'],
  [{ EVERTICK_OIDC_ISSUER: 'login.example.com' }, 'issuer'],
])('%j is refused at the start', (changed, message) => {
  expect(() => apiFromEnvironment({ ...full, ...changed })).toThrow(message)
})

test.each([
  ['http://login.example.com', 'must be an https URL'],
  ['http://127.0.0.1.evil.example', 'must be an https URL'],
  ['ftp://127.0.0.1', 'must be an https URL'],
])('the issuer %s is refused: nobody may stand between', (issuer, message) => {
  const given = { issuer, clientId: 'evertick', roles: { admin: ['group:ops'] } }
  expect(() => oidcConfig(given, 'option')).toThrow(message)
})

test('on this machine an issuer may be http', () => {
  for (const issuer of ['http://127.0.0.1:8080', 'http://localhost:8080/realms/acme', 'http://[::1]:8080'])
    expect(
      oidcConfig({ issuer, clientId: 'e', roles: { admin: ['group:ops'] } }, 'option').issuer.href,
    ).toContain(issuer)
})

test('a misspelt option of oidc is named, with the one that was meant', () => {
  const oidc = { issuer: full.EVERTICK_OIDC_ISSUER, clientID: 'evertick', roles: {} } as never
  expect(() => apiConfig({ oidc })).toThrow(/clientI[dD]/)
})

test.each(['proxy.example.com', '10.0.0.0/33', '10.0.0.0/', '::/129', '10.0.0.1/8/8', '10.0.0.0/-1', ''])(
  'the proxy %j is refused: only addresses and networks can be checked',
  (entry) => {
    expect(() => apiConfig({ trustProxy: [entry] })).toThrow(
      entry === '' ? 'trustProxy' : 'is not an address',
    )
  },
)

test('a mount leaves proxies to its app', () => {
  const { trustProxy } = mountConfig({})
  expect(trustProxy.rules).toEqual([])
  expect(() => mountConfig({ trustProxy: ['127.0.0.1'] } as never)).toThrow('trustProxy')
})
