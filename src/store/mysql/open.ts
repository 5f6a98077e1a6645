/** A database of MySQL or MariaDB as a store. */
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { EvertickError } from '../../core/error.ts'
import { noHints } from '../hints.ts'
import type { OpenedStore, PayloadLimit, StoreSurroundings } from '../open-store.ts'
import { classified } from '../sql/runtime/server-session.ts'
import { createSqlStore } from '../sql/sql-store.ts'
import { parseServerUrl, poolSizes, senderName, withoutSecrets } from '../store-url.ts'
import { loadMysql, type MysqlAddress, type MysqlTls, serverFacts } from './connection.ts'
import { meaningOf, packetsShare, smallestPacket } from './dialect.ts'
import { mysqlEngine, openDriver } from './driver.ts'
import { hotScripts } from './hot.ts'
import { MysqlMigrator } from './migrator.ts'

export async function openMysql(
  url: string,
  { context, host, pool, openHints }: StoreSurroundings,
): Promise<OpenedStore> {
  const mysql = await loadMysql()
  const where = withoutSecrets(url)
  const { address, prefix } = await placeOf(url)
  try {
    const { version, packetBytes } = await serverFacts(mysql, address)
    const collation = collationOf(version)
    const place = { address, prefix, where }
    const sizes = { ...poolSizes(pool.max), transactionMs: pool.transactionMs }
    const driver = openDriver(mysql, place, sizes, host)
    const hints = await openHints(async () => noHints, { where, sender: senderName(host) })
    // Migrations wait for each other, and a table may be large.
    const limits = { answerMs: null, transactionMs: pool.transactionMs }
    const openPool = () => mysqlEngine(mysql, place, host).openPool(1, limits)
    return {
      store: createSqlStore('mysql', driver, hotScripts(), context, { hints, within: null }),
      migrator: new MysqlMigrator(driver, { prefix, collation, where, openPool }),
      payloadLimit: payloadLimit(packetBytes),
    }
  } catch (error) {
    throw classified(error, { where, meaningOf })
  }
}

/** By bytes, and trailing spaces count. What is older than these has no SKIP LOCKED or no JSON_TABLE. */
export function collationOf(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  const isMariadb = /mariadb/i.test(version)
  const isOld = isMariadb ? major < 10 || (major === 10 && minor < 6) : major < 8
  if (isOld) {
    throw new EvertickError('unsupported_database', `Evertick does not run on ${version}.`, {
      field: 'database',
      next: 'Use MariaDB 10.6 or MySQL 8.0, or a later one.',
    })
  }
  return isMariadb ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin'
}

/** What fits into a statement whatever its letters are: see chunksOf. */
export function payloadLimit(packetBytes: number): PayloadLimit {
  if (packetBytes >= smallestPacket) {
    return {
      maxBytes: Math.floor(packetBytes / packetsShare),
      nextFor: (bytes) => `Set max_allowed_packet of the server to ${bytes * packetsShare} or more.`,
    }
  }
  throw new EvertickError(
    'unsupported_database',
    `The server takes statements of ${packetBytes} bytes at most (max_allowed_packet), which is too little.`,
    { field: 'database', next: 'Set max_allowed_packet to 16M, the default, or at least to 1M.' },
  )
}

interface Place {
  readonly address: MysqlAddress
  readonly prefix: string
}

/** Taken apart here: the driver would take every one of its own options from the URL, unsound ones too. */
export async function placeOf(url: string): Promise<Place> {
  const parsed = parseServerUrl(url)
  const { prefix = 'evertick_', sslmode, sslrootcert, ...others } = Object.fromEntries(parsed.searchParams)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    throw refused(`does not know "${unknown}"`, 'Use prefix, sslmode and sslrootcert.')
  }
  if (!/^[a-z_][a-z0-9_]{0,30}$/.test(prefix)) {
    throw refused(
      `cannot have the prefix "${prefix}"`,
      'Use small letters, digits and _, at most 31 of them.',
    )
  }
  const database = decodeURIComponent(parsed.pathname.slice(1))
  if (database === '') throw refused('names no database', 'Write mysql://user:password@host/database.')
  const host = parsed.hostname.replaceAll(/[[\]]/g, '')
  if (sslmode === 'verify-full' && isIP(host) !== 0) {
    // The driver would compare the certificate of an address with "localhost".
    throw refused('asks for verify-full of an address', 'Name the host as its certificate does.')
  }
  const address = {
    host,
    port: Number(parsed.port || 3306),
    user: decodeURIComponent(parsed.username),
    password: decodeURIComponent(parsed.password),
    database,
    ssl: await tlsOf(sslmode, sslrootcert),
  }
  return { address, prefix }
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
