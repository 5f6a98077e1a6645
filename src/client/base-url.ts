/** Where the server is, as its user writes it. */
import { EvertickError } from '../core/error.ts'

/** Without a slash at its end. A page may name a path of its own origin. */
export function baseOf(url: string): string {
  if (url.startsWith('/') && !url.startsWith('//')) return url.replace(/\/+$/, '')
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw refused('The server URL must be an http or https URL.', 'Write one such as http://127.0.0.1:8060.')
  }
  const { origin, pathname, search, hash, username, password } = new URL(url)
  if (username !== '' || password !== '') {
    throw refused('The server URL contains credentials.', 'Leave it out, and give a token.')
  }
  if (search !== '' || hash !== '') {
    throw refused('The server URL has a query or a fragment.', 'Leave out what follows its path.')
  }
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

/** The URL is not shown: people put secrets into URLs. */
function refused(message: string, next: string): EvertickError {
  return new EvertickError('invalid_option', message, { field: 'url', next })
}
