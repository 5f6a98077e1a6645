/** Takes secrets out of what comes back: a server may answer with what it was sent, a program may print it. */
import { redacted } from '../core/job/secret-name.ts'

/** Shorter pieces stand in too many words to be looked for. */
const shortest = 6

/** Each value, the words of it (`Bearer <token>`, `sid=<value>`), and how JSON would write them. */
export function withoutSecrets(secrets: readonly string[]): (text: string) => string {
  const pieces = secrets.flatMap((secret) => [
    secret,
    ...secret.split(/[\s;,=]+/).filter((word) => word.length >= shortest),
  ])
  const spellings = [...new Set(pieces.flatMap((piece) => [piece, JSON.stringify(piece).slice(1, -1)]))]
    .filter((piece) => piece !== '')
    .sort((one, other) => other.length - one.length)
  return (text) => spellings.reduce((left, piece) => left.replaceAll(piece, redacted), text)
}
