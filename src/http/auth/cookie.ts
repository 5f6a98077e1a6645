/** Our cookies: no script can read them, and no other site can send them. */
import type { Visit } from '../guard/proxies.ts'

export interface Place {
  /** The host of a mounted API serves other pages, which must not get our cookies. */
  readonly basePath: string
  readonly visit: Visit
  readonly request: Request
}

interface Kind {
  readonly name: string
  readonly below: string
  /** Lax: it comes back with the redirect of a provider. */
  readonly sameSite: 'Strict' | 'Lax'
}

/** The dashboard's session. */
export const sessionCookie: Kind = { name: 'evertick_session', below: '', sameSite: 'Strict' }
/** A sign-in at a provider, while it lasts. */
export const signInCookie: Kind = { name: 'evertick_sign_in', below: '/sign-in', sameSite: 'Lax' }
/** The ID token, which a provider wants to see again at a sign-out. */
export const signOutCookie: Kind = { name: 'evertick_sign_out', below: '/sign-in', sameSite: 'Strict' }

export function cookie(
  kind: Kind,
  value: string,
  place: Place,
  ends: { at: number } | { seconds: number },
): string {
  const { request, visit } = place
  // Where no proxy tells the scheme, the browser does with what it sends from a page.
  const isSecure = visit.scheme === 'https' || request.headers.get('origin')?.startsWith('https:') === true
  const until = 'at' in ends ? `Expires=${new Date(ends.at).toUTCString()}` : `Max-Age=${ends.seconds}`
  return `${kind.name}=${value}; ${attributes(kind, place)}; ${until}${isSecure ? '; Secure' : ''}`
}

/** Its path must be that of the cookie, or the browser keeps both. */
export function clearedCookie(kind: Kind, place: Pick<Place, 'basePath'>): string {
  return `${kind.name}=; ${attributes(kind, place)}; Max-Age=0`
}

function attributes({ below, sameSite }: Kind, { basePath }: Pick<Place, 'basePath'>): string {
  return `HttpOnly; SameSite=${sameSite}; Path=${`${basePath}${below}` || '/'}`
}

/** Null where the request has none. */
export function cookieOf(request: Request, { name }: Kind): string | null {
  const pairs = (request.headers.get('cookie') ?? '').split(';')
  for (const pair of pairs) {
    const [own, value] = pair.trim().split('=', 2)
    if (own === name && value !== undefined && value !== '') return value
  }
  return null
}
