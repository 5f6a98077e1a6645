/** What the URLs of databases have in common. */
import { EvertickError } from '../core/error.ts'
import type { Host } from './host.ts'
import type { PoolSizes } from './sql/runtime/server-driver.ts'

/** `sqlite:data/app.db`, `sqlite:/var/lib/app.db`, `sqlite:///var/lib/app.db`, `sqlite::memory:`. */
export function sqlitePath(url: string): string {
  const path = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')
  // As a URL the name would be a host; taken for a path it would begin at the root folder.
  const host = /^sqlite:\/\/(?!\/)(.*)$/s.exec(url)?.[1]
  if (path !== '' && host === undefined) return path
  const [says, next] = host
    ? [
        `"${url}" names a host, but SQLite has none.`,
        `Write sqlite:${host}, or for an absolute path sqlite:/path/to/file.db.`,
      ]
    : [
        'The SQLite URL does not name a file.',
        'Write sqlite:evertick.db, or sqlite::memory: for a database that is gone at exit.',
      ]
  throw new EvertickError('unsupported_database', says, { field: 'database', next })
}

/** For messages and logs. */
export function withoutSecrets(url: string): string {
  // To the last @, whatever a password has in it; only then the parameters.
  return url.replace(/\/\/.*@/s, '//…@').replace(/\?.*$/s, '')
}

/** A server's URL; one that cannot be read is refused without repeating it. */
export function parseServerUrl(url: string): URL {
  try {
    return new URL(url)
  } catch {
    throw new EvertickError('unsupported_database', `"${withoutSecrets(url)}" is not a valid URL.`, {
      field: 'database',
      next: 'Percent-encode special characters in the user and password: @ is %40, / is %2F.',
    })
  }
}

/** A name for this process among those that hint: it only has to differ from theirs. */
export function senderName(host: Host): string {
  return Math.floor(host.random() * 2 ** 52).toString(36)
}

/** Of the connections that a node may have: one for its pulse, the rest shared by its own work and its handlers'. */
export function poolSizes(max: number): PoolSizes {
  const rest = Math.max(2, max - 1)
  const handlers = Math.ceil(rest / 2)
  return { pulse: 1, work: rest - handlers, handlers }
}
