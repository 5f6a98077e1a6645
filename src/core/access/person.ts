/**
 * How people are named in actors: `session:Ana <248289761001>` is the name, for people, and the subject of the provider,
 * which never changes. A name is text from outside, and is shown everywhere.
 */
import { withoutSteering } from '../printable-text.ts'

/** With the longest subject it fits every column that holds an actor. */
const longestName = 44
const longestSubject = 200

/** Empty where nothing is left to read. Without `<`, `>` and `:`, nobody can name themselves like a subject or a token. */
export function plainName(text: string): string {
  const plain = withoutSteering(
    text
      .toWellFormed()
      .normalize('NFC')
      .replaceAll(/[\s<>:]+/gu, ' '),
  ).trim()
  if (!/[\p{L}\p{N}]/u.test(plain)) return ''
  if (plain.length <= longestName) return plain
  let kept = ''
  for (const letter of plain) {
    if (kept.length + letter.length >= longestName) break
    kept += letter
  }
  return `${kept.trimEnd()}…`
}

/** Whether it may stand in an actor. */
export function isSubject(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    text !== '' &&
    text.length <= longestSubject &&
    !/[\n\t<>]/.test(text) &&
    withoutSteering(text) === text
  )
}

/** The name of a person whose provider says who it is: `Ana <248289761001>`, or the subject alone. */
export function namedSubject({ name, email }: Readonly<Record<string, unknown>>, subject: string): string {
  for (const given of [name, email]) {
    const plain = typeof given === 'string' ? plainName(given) : ''
    if (plain !== '') return `${plain} <${subject}>`
  }
  return subject
}

/** What to call an actor: `Ana` for a person, and `token:deploy` as it is. */
export function actorName(actor: string): string {
  const [, person] = /^(?:session|user|cli):(.+)$/su.exec(actor) ?? []
  if (person === undefined) return actor
  return /^(.+) <[^<>]+>$/su.exec(person)?.[1] ?? person
}

/** Whether the actor is a person whom a provider has signed in. */
export function hasSubject(actor: string): boolean {
  return /^session:.+ <[^<>]+>$/su.test(actor)
}
