/** What went wrong between us and the provider, in words for the person who waits: the sign-in, or the provider itself. */
import { EvertickError } from '../../../core/error.ts'
import { codeOf, isRecord, messageOf } from '../../../core/unknown-value.ts'

export function unavailable(host: string, error: unknown): EvertickError {
  const own = ownErrorIn(error)
  return new EvertickError(
    'provider_unavailable',
    `Nobody can sign in at ${host} now. ${own?.message ?? wordsOf(error)}`,
    {
      next:
        own?.code === 'driver_missing' ? (own.next ?? '') : 'Try again in a moment, or sign in with a link.',
      cause: error,
    },
  )
}

/** Of an answer that came back through the browser, or of what the provider says to it. */
export function refused(host: string, error: unknown): EvertickError {
  if (isProviders(error)) return unavailable(host, error)
  return new EvertickError('unauthenticated', `${host} has not signed you in. ${wordsOf(error)}`, {
    next: 'Try again. If it fails again, tell whoever runs this Evertick.',
    cause: error,
  })
}

/** It does not answer, answers with garbage, or does not know us: no other sign-in would fare better. */
const providersCodes = [
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_TIMEOUT',
  'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
]

function isProviders(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  // A code that was used before, is too old, or belongs to another sign-in, is not the provider's fault.
  if (code === 'OAUTH_RESPONSE_BODY_ERROR') return saidBy(error) !== 'invalid_grant'
  return providersCodes.includes(code) || ownErrorIn(error) !== null
}

/** `invalid_client`, as the provider says it. What comes by a URL is anybody's text: only such a word is shown. */
function saidBy(error: unknown): string | null {
  const said = isRecord(error) ? error.error : undefined
  return typeof said === 'string' && /^[a-z_]{1,40}$/.test(said) ? said : null
}

function wordsOf(error: unknown): string {
  const said = saidBy(error)
  return said === null ? `${messageOf(error)}.` : `It says: ${said}.`
}

/** An error of our own outbound client, which the library may have wrapped. */
function ownErrorIn(error: unknown): EvertickError | null {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof EvertickError) return each
  }
  return null
}
