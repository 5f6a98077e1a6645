/**
 * What a sign-in must find again when the provider sends the browser back. It travels in a cookie, signed, so that any
 * node can take it up and none keeps anything.
 */
import { errors, jwtVerify, SignJWT } from 'jose'
import { isRecord } from '../../../core/unknown-value.ts'
import type { Clock } from '../../../engine/clock.ts'
import type { SigningKeys } from '../signing-keys.ts'

export interface SignInState {
  readonly state: string
  readonly nonce: string
  /** Of PKCE. */
  readonly verifier: string
  readonly redirectUri: string
  /** Where the person was going: a path of ours. */
  readonly to: string
}

export const signInSeconds = 600
const issuer = 'evertick'
/** Not that of a token: neither is ever taken for the other. */
const audience = 'evertick-sign-in'
const algorithm = 'HS256'

export class SignInStates {
  readonly #keys: SigningKeys
  readonly #clock: Clock

  constructor(keys: SigningKeys, clock: Clock) {
    this.#keys = keys
    this.#clock = clock
  }

  async seal(flow: SignInState): Promise<string> {
    const { kid, secret } = this.#keys.current
    const now = Math.floor(this.#clock.now() / 1_000)
    return await new SignJWT({ flow })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(now)
      .setExpirationTime(now + signInSeconds)
      .sign(secret)
  }

  /** Null where it is not ours, or too old. */
  async open(sealed: string): Promise<SignInState | null> {
    try {
      const { payload } = await jwtVerify(
        sealed,
        ({ kid }) => {
          const key = this.#keys.find(kid)
          if (key === null) throw new errors.JWSInvalid('not one of our keys')
          return key.secret
        },
        {
          algorithms: [algorithm],
          issuer,
          audience,
          typ: 'JWT',
          requiredClaims: ['exp', 'flow'],
          currentDate: new Date(this.#clock.now()),
        },
      )
      return flowOf(payload.flow)
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof TypeError) return null
      throw error
    }
  }
}

function flowOf(value: unknown): SignInState | null {
  if (!isRecord(value)) return null
  const text = (name: keyof SignInState) => {
    const part = value[name]
    return typeof part === 'string' ? part : ''
  }
  const [state, nonce, verifier] = [text('state'), text('nonce'), text('verifier')]
  const [redirectUri, to] = [text('redirectUri'), text('to')]
  return [state, nonce, verifier, redirectUri, to].includes('')
    ? null
    : { state, nonce, verifier, redirectUri, to }
}
