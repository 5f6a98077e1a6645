/** Where a database of PostgreSQL is, as its URL says. */
import { EvertickError } from '../../core/error.ts'
import { parseServerUrl, withoutSecrets } from '../store-url.ts'

export interface PostgresPlace {
  /** As the driver reads it. */
  readonly url: string
  readonly schema: string
  /** Without secrets, for messages. */
  readonly where: string
}

/** `?schema=…` is ours; the rest of the URL is the driver's. */
export function placeOf(url: string): PostgresPlace {
  const parsed = parseServerUrl(url)
  const schema = parsed.searchParams.get('schema') ?? 'evertick'
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new EvertickError('unsupported_database', `"${schema}" cannot be the schema of Evertick.`, {
      field: 'database',
      next: 'Use lower-case letters, digits and _, at most 63 of them.',
    })
  }
  parsed.searchParams.delete('schema')
  return { url: parsed.href, schema, where: withoutSecrets(url) }
}
