/**
 * What a sign-in must find again when the provider sends the browser back. It travels in a cookie, signed, so that any
 * node can take it up and none keeps anything.
 */
import { isRecord } from '../../../core/unknown-value.ts'
import type { Clock } from '../../../engine/clock.ts'
import { ownClaims, ownJwt } from '../own-jwt.ts'
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
/** Not that of a token: neither is ever taken for the other. */
const audience = 'evertick-sign-in'

export class SignInStates {
  readonly #keys: SigningKeys
  readonly #clock: Clock

  constructor(keys: SigningKeys, clock: Clock) {
    this.#keys = keys
    this.#clock = clock
  }

  async seal(flow: SignInState): Promise<string> {
    const now = this.#clock.now()
    const exp = Math.floor(now / 1_000) + signInSeconds
    return await ownJwt({ flow, exp }, { keys: this.#keys, audience, now })
  }

  /** Null where it is not ours, or too old. */
  async open(sealed: string): Promise<SignInState | null> {
    const terms = { keys: this.#keys, audience, now: this.#clock.now(), required: ['flow'] }
    const claims = await ownClaims(sealed, terms)
    return claims === null ? null : flowOf(claims['flow'])
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
