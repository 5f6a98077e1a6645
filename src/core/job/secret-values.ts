/** Removes secrets from whatever a run leaves: a server may repeat what it was sent, and a program may print it. */
import { passwordsIn, redacted } from './secret-name.ts'
import { withoutSecretShapes } from './secret-text.ts'

/** Shorter pieces are part of too many ordinary words. */
const shortest = 6

/** `isCut`: the text was cut off; then the beginning of a secret at its end is removed, too. */
export type Redact = (text: string, isCut?: boolean) => string

/** Each value, the words of it (`Bearer <token>`, `sid=<value>`), its passwords, and as what programs pass these on. */
export function withoutSecrets(secrets: readonly string[]): Redact {
  const pieces = secrets.flatMap((secret) => [
    secret,
    ...secret.split(/[\s;,=]+/).filter((word) => word.length >= shortest),
    ...passwordsIn(secret).flatMap((password) => [password, decoded(password)]),
  ])
  const spellings = [...new Set(pieces.flatMap(spelled))]
    .filter((piece) => piece !== '')
    .sort((one, other) => other.length - one.length)
  return (text, isCut = false) => {
    const whole = isCut ? text.slice(0, safeEnd(text, spellings)) : text
    return withoutSecretShapes(spellings.reduce((left, piece) => left.replaceAll(piece, redacted), whole))
  }
}

/** In JSON, in a URL, and as `Basic` and its like would have it. Of a short piece the codes are part of too many words. */
function spelled(piece: string): string[] {
  const plain = [piece, JSON.stringify(piece).slice(1, -1)]
  if (piece.length < shortest) return plain
  const bytes = new TextEncoder().encode(piece)
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const base64 = btoa(String.fromCharCode(...bytes)).replace(/=+$/, '')
  const base64url = base64.replaceAll('+', '-').replaceAll('/', '_')
  const url = encodeURIComponent(piece.toWellFormed())
  return [...plain, url, url.replaceAll('%20', '+'), hex, hex.toUpperCase(), base64, base64url]
}

/** The texts of plain data, at any depth, and its keys; a number that is a secret becomes text. */
export function withoutSecretsIn<Data>(data: Data, redact: Redact): Data {
  const within = (value: unknown): unknown => {
    if (typeof value === 'string') return redact(value)
    if (typeof value === 'number') return redact(String(value)) === String(value) ? value : redacted
    if (Array.isArray(value)) return value.map(within)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), within(item)]))
  }
  return within(data) as Data
}

/** Where a text that goes on may end: not after the beginning of a secret, and within none. */
function safeEnd(text: string, spellings: readonly string[]): number {
  let end = text.length - Math.max(0, ...spellings.map((piece) => begun(text, piece)))
  for (;;) {
    const starts = spellings.flatMap((piece) => {
      const at = end === 0 ? -1 : text.lastIndexOf(piece, end - 1)
      return at >= 0 && at + piece.length > end ? [at] : []
    })
    if (starts.length === 0) return end
    end = Math.min(...starts)
  }
}

/** How much of the piece, and not all of it, stands at the end of the text. */
function begun(text: string, piece: string): number {
  const from = Math.max(0, text.length - piece.length + 1)
  for (let at = from; at < text.length; at += 1) {
    if (piece.startsWith(text.slice(at))) return text.length - at
  }
  return 0
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password)
  } catch {
    return password
  }
}
