/** Where a database of MySQL or MariaDB is, as its URL says. */
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { EvertickError } from '../../core/error.ts'
import { parseServerUrl, withoutSecrets } from '../store-url.ts'

export interface MysqlPlace {
  readonly address: MysqlAddress
  /** Of every table but `scheduler_leader_log`. */
  readonly prefix: string
  /** Without secrets, for messages. */
  readonly where: string
}

/** Where the server is and who asks, taken from the URL. */
interface MysqlAddress {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  readonly ssl: MysqlTls | null
}

interface MysqlTls {
  readonly rejectUnauthorized: boolean
  readonly verifyIdentity: boolean
  readonly ca?: string
}

/** Taken apart here: the driver would take every one of its own options from the URL, unsound ones too. */
export async function placeOf(url: string): Promise<MysqlPlace> {
  const parsed = parseServerUrl(url)
  const { prefix = 'evertick_', sslmode, sslrootcert, ...others } = Object.fromEntries(parsed.searchParams)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    throw refused(`does not know "${unknown}"`, 'Use prefix, sslmode and sslrootcert.')
  }
  if (!/^[a-z_][a-z0-9_]{0,30}$/.test(prefix)) {
    throw refused(
      `cannot have the prefix "${prefix}"`,
      'Use lower-case letters, digits and _, at most 31 of them.',
    )
  }
  const database = decodeURIComponent(parsed.pathname.slice(1))
  if (database === '') throw refused('does not name a database', 'Write mysql://user:password@host/database.')
  const host = parsed.hostname.replaceAll(/[[\]]/g, '')
  if (sslmode === 'verify-full' && isIP(host) !== 0) {
    // The driver would compare the certificate of an address with "localhost".
    throw refused(
      'asks for verify-full, but its host is an IP address',
      'Name the host as its certificate does.',
    )
  }
  const address = {
    host,
    port: Number(parsed.port || 3306),
    user: decodeURIComponent(parsed.username),
    password: decodeURIComponent(parsed.password),
    database,
    ssl: await tlsOf(sslmode, sslrootcert),
  }
  return { address, prefix, where: withoutSecrets(url) }
}

/**
 * The words of PostgreSQL. Not `allow` and `prefer`: the driver cannot go on without TLS where the server has none, and
 * would be as easily talked out of it by somebody in between.
 */
async function tlsOf(mode: string = 'disable', rootCert: string | undefined): Promise<MysqlTls | null> {
  const ca = rootCert === undefined ? {} : { ca: await certificate(rootCert) }
  switch (mode) {
    case 'disable':
      return null
    case 'require':
      // As there: whoever names a root wants it to be asked.
      return { ...ca, rejectUnauthorized: rootCert !== undefined, verifyIdentity: false }
    case 'verify-ca':
      return { ...ca, rejectUnauthorized: true, verifyIdentity: false }
    case 'verify-full':
      return { ...ca, rejectUnauthorized: true, verifyIdentity: true }
    default:
      throw refused(`does not know sslmode=${mode}`, 'Use disable, require, verify-ca or verify-full.')
  }
}

async function certificate(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw refused(`names ${path} as sslrootcert, which cannot be read`, 'Check the path.', error)
  }
}

function refused(says: string, next: string, cause?: unknown): EvertickError {
  return new EvertickError('unsupported_database', `The URL of the database ${says}.`, {
    field: 'database',
    next,
    cause,
  })
}
