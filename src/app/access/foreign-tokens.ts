/** Tokens of the user's own provider, checked against the keys that it publishes. */
import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { isAccessRole } from '../../core/access/access-role.ts'
import { isSubject, namedSubject } from '../../core/access/person.ts'
import { EvertickError } from '../../core/error.ts'
import type { AppContext } from '../app-context.ts'
import type { Principal } from './principal.ts'

export interface ProviderOptions {
  /** Where it publishes its keys. */
  readonly jwksUrl: string
  readonly issuer: string
  readonly audience: string
}

/** Asymmetric only: with a shared secret among them, a public key could be taken for the secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** The provider has answered, and none of its keys fits. Any other failure is not the token's fault. */
const saysNothingOfProvider = [
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
  errors.JOSENotSupported,
] as const

export class ForeignTokens {
  readonly #app: AppContext
  readonly #options: ProviderOptions
  readonly #keys: JWTVerifyGetKey

  constructor(
    app: AppContext,
    options: ProviderOptions,
    keys: JWTVerifyGetKey = createRemoteJWKSet(new URL(options.jwksUrl)),
  ) {
    this.#app = app
    this.#options = options
    this.#keys = async (header, token) => {
      try {
        return await keys(header, token)
      } catch (error) {
        if (saysNothingOfProvider.some((kind) => error instanceof kind)) throw error
        throw providerUnavailable(error)
      }
    }
  }

  /** The role is the claim `role`, or the first of `roles` that we know; a token without one may do nothing. */
  async verify(token: string): Promise<Principal | null> {
    const { issuer, audience } = this.#options
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        algorithms,
        issuer,
        audience,
        requiredClaims: ['exp', 'sub'],
        currentDate: new Date(this.#app.clock.now()),
      })
      const { role, roles, sub = '', exp = 0 } = payload
      // It stands in the audit log for ever.
      if (!isSubject(sub)) return null
      const more: unknown[] = Array.isArray(roles) ? roles : []
      const known = [role, ...more].find(isAccessRole)
      if (known === undefined) return null
      return {
        actor: `user:${namedSubject(payload, sub)}`,
        role: known,
        kind: 'token',
        id: null,
        expiresAt: exp * 1_000,
      }
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof TypeError) return null
      throw error
    }
  }
}

function providerUnavailable(cause: unknown): EvertickError {
  return new EvertickError('provider_unavailable', 'The token provider does not return its keys.', {
    next: 'Try again in a moment. If it still fails, check EVERTICK_JWKS_URL.',
    cause,
  })
}
