/**
 * Guards against pages that misuse a visitor's browser: a host name that was pointed at this address (DNS rebinding), and
 * requests of other sites that the browser sends with our cookie.
 */
import { isIP } from 'node:net'
import { EvertickError } from '../../core/error.ts'

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/**
 * The host names that this server answers to; null for any, if it listens on more than loopback and none were set. Those of
 * loopback are always among them: no other machine can be reached by them, and a probe of health uses them.
 */
export function answeredHosts(listensOn: string, given: readonly string[]): readonly string[] | null {
  const isLoopback = listensOn === 'localhost' || listensOn === '::1' || listensOn.startsWith('127.')
  if (!isLoopback && given.length === 0) return null
  return [...loopbackNames, bracketed(listensOn), ...given]
}

export function refuseHost(asked: string, allowed: readonly string[] | null): void {
  if (allowed === null) return
  const host = asked.toLowerCase().replace(/:\d+$/, '')
  if (allowed.includes(host)) return
  throw new EvertickError('forbidden', `This server does not answer to the name "${host.slice(0, 100)}".`, {
    next: 'Add it to EVERTICK_ALLOWED_HOSTS.',
  })
}

/** A request that changes something by a cookie must come from our own pages. */
export function refuseForeignOrigin(request: Request, host: string): void {
  const site = request.headers.get('sec-fetch-site')
  const origin = request.headers.get('origin')
  const ours = origin !== null && hostOf(origin) === host.toLowerCase()
  if (ours && (site === null || site === 'same-origin')) return
  throw new EvertickError('forbidden', 'This request comes from another site.', {
    next: 'Use a token in the Authorization header.',
  })
}

function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host
  } catch {
    return null
  }
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host.toLowerCase()
}
