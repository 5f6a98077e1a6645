/** The headers of Standard Webhooks 1.0: whoever has one of the secrets can tell that a message is ours, and how old it is. */
import { createHmac } from 'node:crypto'

/** As a receiver's library takes it: `whsec_` and the key in base64. */
export const secretPrefix = 'whsec_'
/** The standard asks for 24 to 64 bytes. */
export const secretBytes = 32

export interface SignedMessage {
  readonly id: string
  readonly body: string
  /** Of this attempt, not of the fact: receivers refuse what is old. */
  readonly sentAt: number
}

/** Each secret signs, so that a receiver may change over while both hold. */
export function signatureHeaders(
  { id, body, sentAt }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt / 1_000))
  const signatures = secrets.map((secret) => `v1,${signature(`${id}.${timestamp}.${body}`, secret)}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

function signature(text: string, secret: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  return createHmac('sha256', key).update(text).digest('base64')
}
