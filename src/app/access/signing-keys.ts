/** Our own tokens are JWTs signed with HS256: a secret of at least 32 bytes, and older ones that are still believed. */
import { createHash } from 'node:crypto'
import { EvertickError } from '../../core/error.ts'

const leastBytes = 32
const jwtSecret = 'EVERTICK_JWT_SECRET'

export interface SigningKey {
  /** Says which of the secrets has signed, and nothing about the secret. */
  readonly kid: string
  readonly secret: Uint8Array
}

/** The first signs; all of them verify. A secret is rotated by putting the new one before the old. */
export class SigningKeys {
  readonly current: SigningKey
  readonly #all: ReadonlyMap<string, SigningKey>

  constructor(secrets: readonly string[]) {
    const keys = secrets.map(keyOf)
    const [current] = keys
    if (current === undefined) throw weak('There is no secret to sign tokens with.', jwtSecret)
    this.current = current
    this.#all = new Map(keys.map((key) => [key.kid, key]))
  }

  find(kid: string | undefined): SigningKey | null {
    return kid === undefined ? null : (this.#all.get(kid) ?? null)
  }
}

function keyOf(text: string): SigningKey {
  refuseWeakSecret(text, jwtSecret)
  const secret = new TextEncoder().encode(text)
  const kid = createHash('sha256').update('evertick kid ').update(secret).digest('base64url').slice(0, 16)
  return { kid, secret }
}

/** `field`: the variable that should hold a better one. */
export function refuseWeakSecret(text: string, field: string): void {
  const secret = new TextEncoder().encode(text)
  if (secret.length < leastBytes) {
    throw weak(`A secret has ${secret.length} bytes; it must have at least ${leastBytes}.`, field)
  }
  // One byte repeated, or a short word repeated, is long and still guessed.
  if (new Set(secret).size < 10) throw weak('A secret has fewer than 10 different characters.', field)
}

function weak(message: string, field: string): EvertickError {
  return new EvertickError('weak_secret', message, {
    field,
    next: 'Make one with `openssl rand -base64 48`.',
  })
}
