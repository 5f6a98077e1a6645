/**
 * What this Evertick has signed itself, and gets back: tokens, and the state of a sign-in. By RFC 8725 the algorithm is
 * fixed; each use has an audience of its own, so that none is ever taken for another.
 */
import { errors, jwtVerify, SignJWT } from 'jose'
import type { SigningKeys } from './signing-keys.ts'

const issuer = 'evertick'
const algorithm = 'HS256'

interface Terms {
  readonly keys: SigningKeys
  readonly audience: string
  /** In milliseconds. */
  readonly now: number
}

/** `exp`: in seconds, like every instant in it. */
export async function ownJwt(
  claims: Readonly<Record<string, unknown>> & { readonly exp: number },
  { keys, audience, now }: Terms,
): Promise<string> {
  const { kid, secret } = keys.current
  return await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid })
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(Math.floor(now / 1_000))
    .sign(secret)
}

/** Null where it is not ours, for something else, or over. */
export async function ownClaims(
  text: string,
  { keys, audience, now, required }: Terms & { readonly required: readonly string[] },
): Promise<Record<string, unknown> | null> {
  try {
    const { payload } = await jwtVerify(
      text,
      ({ kid }) => {
        const key = keys.find(kid)
        if (key === null) throw new errors.JWSInvalid('not one of our keys')
        return key.secret
      },
      {
        algorithms: [algorithm],
        issuer,
        audience,
        typ: 'JWT',
        requiredClaims: ['exp', ...required],
        currentDate: new Date(now),
      },
    )
    return payload
  } catch (error) {
    // The bearer is never told which check failed.
    if (error instanceof errors.JOSEError || error instanceof TypeError) return null
    throw error
  }
}
