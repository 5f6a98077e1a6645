/** Targets that a proxy in front may have read in another way: what it let through is then not what is asked for here. */
import type { IncomingMessage } from 'node:http'

/** `..` climbs, also when it is written as `%2e`. */
const dots = /\/(?:\.|%2e){1,2}(?:\/|$)/i
const absolute = /^https?:\/\/([^/?]*)/i

export function isAmbiguous({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  const [whole, authority] = absolute.exec(url) ?? []
  // Of two names for the host, one would be checked and the other believed.
  if (authority !== undefined && authority.toLowerCase() !== headers.host?.toLowerCase()) return true
  const [path = ''] = url.slice(whole?.length ?? 0).split('?', 1)
  return dots.test(path)
}
