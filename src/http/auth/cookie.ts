/** The dashboard's session: a cookie that no script can read, and that no other site can send. */

const cookieName = 'evertick_session'

export function sessionCookie(
  token: string,
  expiresAt: number,
  { request, basePath }: { readonly request: Request; readonly basePath: string },
): string {
  // Behind a proxy that terminates TLS, only the browser knows the scheme.
  const cameBy = request.headers.get('origin') ?? request.url
  const secure = cameBy.startsWith('https:') ? '; Secure' : ''
  const expires = new Date(expiresAt).toUTCString()
  return `${cookieName}=${token}; ${attributes(basePath)}; Expires=${expires}${secure}`
}

/** Its path must be that of the cookie, or the browser keeps both. */
export function clearedCookie(basePath: string): string {
  return `${cookieName}=; ${attributes(basePath)}; Max-Age=0`
}

/** The host of a mounted API serves other pages, which must not get our cookie. */
function attributes(basePath: string): string {
  return `HttpOnly; SameSite=Strict; Path=${basePath === '' ? '/' : basePath}`
}

/** Null where the request has none. */
export function sessionOf(request: Request): string | null {
  const pairs = (request.headers.get('cookie') ?? '').split(';')
  for (const pair of pairs) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === cookieName && value !== undefined && value !== '') return value
  }
  return null
}
