/**
 * Secrets at rest, by name or within a job: AES-256-GCM, with a key that HKDF makes of the instance's secret. The first key seals, all of
 * them open, so that a secret can be rotated. Each value is bound to its place.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { EvertickError } from '../../core/error.ts'
import type { Sealed } from '../../core/job/handler.ts'
import { ownSecret } from '../access/own-secret.ts'
import { refuseWeakSecret } from '../access/signing-keys.ts'
import { secretsFromEnvironment } from '../config/environment.ts'

const ivBytes = 12
const tagBytes = 16

export class Secrets {
  readonly #load: () => readonly string[]
  #keys: readonly Uint8Array[] | null = null

  /** `load` is called when the first secret is met: most nodes never meet one. */
  constructor(load: () => readonly string[]) {
    this.#load = load
  }

  seal(text: string, slot: string): Sealed {
    const [key] = this.#all()
    if (key === undefined) throw missing()
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(slot))
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return { sealed: Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url') }
  }

  open(sealed: Sealed, slot: string): string {
    const keys = this.#all()
    if (keys.length === 0) throw missing()
    for (const key of keys) {
      const text = opened(bytesOf(sealed), key, slot)
      if (text !== null) return text
    }
    throw new EvertickError(
      'secret_unreadable',
      'A secret is sealed with a key that this node does not have.',
      {
        field: 'EVERTICK_SECRETS_KEY',
        next: 'Give this node the key that the secret was written with, or write the secret again.',
      },
    )
  }

  /** The same value under the newest key; null where that has sealed it already. */
  reseal(sealed: Sealed, slot: string): Sealed | null {
    const [newest] = this.#all()
    if (newest !== undefined && opened(bytesOf(sealed), newest, slot) !== null) return null
    return this.seal(this.open(sealed, slot), slot)
  }

  /** The same for the same text in the same place, under one key; without the key it says nothing about the text. */
  mark(text: string, slot: string): string {
    const [key] = this.#all()
    if (key === undefined) throw missing()
    const own = new Uint8Array(hkdfSync('sha256', key, 'evertick', 'marks of secrets, version 1', 32))
    return createHmac('sha256', own).update(`${slot}\0${text}`).digest('base64url')
  }

  #all(): readonly Uint8Array[] {
    this.#keys ??= this.#load().map(keyOf)
    return this.#keys
  }
}

/** What the environment gives; else, on SQLite, the secret that lies beside the file. */
export function secretsOf(database: string): Secrets {
  return new Secrets(() => {
    const given = secretsFromEnvironment()
    return given.length > 0 ? given : ownSecret(database)
  })
}

function keyOf(secret: string): Uint8Array {
  refuseWeakSecret(secret, 'EVERTICK_SECRETS_KEY')
  return new Uint8Array(hkdfSync('sha256', secret, 'evertick', 'secrets of jobs, version 1', 32))
}

function bytesOf({ sealed }: Sealed): Buffer {
  return Buffer.from(sealed, 'base64url')
}

function opened(bytes: Buffer, key: Uint8Array, slot: string): string | null {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAAD(Buffer.from(slot)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString(
      'utf8',
    )
  } catch {
    // Another key's, or not what was written: the caller says so.
    return null
  }
}

function missing(): EvertickError {
  return new EvertickError('secret_unreadable', 'This node has no key for secrets.', {
    field: 'EVERTICK_SECRETS_KEY',
    next: 'Set EVERTICK_SECRETS_KEY (`openssl rand -base64 48`) on every node of the database.',
  })
}
