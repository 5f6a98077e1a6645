/** The dashboard's session: a cookie that no script can read, and that no other site can send. */

const cookieName = 'evertick_session'

export function sessionCookie(token: string, expiresAt: number, request: Request): string {
  // Behind a proxy that ends TLS only the browser knows by which way it came.
  const cameBy = request.headers.get('origin') ?? request.url
  const secure = cameBy.startsWith('https:') ? '; Secure' : ''
  const expires = new Date(expiresAt).toUTCString()
  return `${cookieName}=${token}; HttpOnly; SameSite=Strict; Path=/; Expires=${expires}${secure}`
}

export const clearedCookie = `${cookieName}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0`

/** Null where the request has none. */
export function sessionOf(request: Request): string | null {
  const pairs = (request.headers.get('cookie') ?? '').split(';')
  for (const pair of pairs) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === cookieName && value !== undefined && value !== '') return value
  }
  return null
}
