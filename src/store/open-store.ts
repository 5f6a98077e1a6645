/** From a URL to a store: the only file that knows which engines there are. Each is loaded when it is asked for. */
import { EvertickError } from '../core/error.ts'
import type { ForeignTables } from './foreign.ts'
import type { Hints } from './hints.ts'
import { type Host, processHost } from './host.ts'
import type { Migrator } from './migrate.ts'
import type { RedisMarks } from './redis/enqueue-marks.ts'
import type { RedisHintsOptions } from './redis/hints.ts'
import type { RedisLocks } from './redis/lock.ts'
import type { ScriptContext } from './sql/runtime/script.ts'
import type { Store } from './store.ts'
import { withoutSecrets } from './store-url.ts'

export interface OpenedStore {
  readonly store: Store
  readonly migrator: Migrator
  /** Where the server has a limit of its own. */
  readonly payloadLimit?: PayloadLimit
}

export interface PayloadLimit {
  /** Of an input or a result, as JSON. */
  readonly maxBytes: number
  /** What to do to make this many bytes fit. */
  readonly nextFor: (bytes: number) => string
}

/** What a store is given beside its URL. */
export interface StoreSurroundings {
  readonly context: ScriptContext
  readonly host: Host
  readonly pool: PoolOptions
  /** Where Redis carries the hints, it does; else the engine's own means do, where it has one. */
  readonly openHints: (own: () => Promise<Hints>, place: HintPlace) => Promise<Hints>
  readonly byRedis: boolean
}

export interface HintPlace {
  /** The database, so that two of them on one Redis do not wake each other. */
  readonly where: string
  readonly sender: string
}

export interface PoolOptions {
  /** Connections of this node to a server, at most. */
  readonly max: number
  /** A URL past a pooler in transaction mode, for what needs a connection of its own. */
  readonly direct?: string | undefined
  /** How long a handler's transaction may stay open. */
  readonly transactionMs: number
}

export interface OpenOptions {
  readonly host?: Host
  readonly pool?: PoolOptions
  /** A Redis that carries the hints between nodes. */
  readonly redis?: string | undefined
}

export const defaultPool: PoolOptions = { max: 10, transactionMs: 60_000 }

export async function openStore(
  url: string,
  context: ScriptContext,
  { host = processHost, pool = defaultPool, redis }: OpenOptions = {},
): Promise<OpenedStore> {
  const openHints: StoreSurroundings['openHints'] = async (own, { where, sender }) =>
    redis === undefined ? await own() : await openRedisHints(redis, { namespace: where, sender }, host)
  const around = { context, host, pool, openHints, byRedis: redis !== undefined }
  switch (url.slice(0, url.indexOf(':'))) {
    case 'sqlite': {
      const { openSqlite } = await import('./sqlite/open.ts')
      return await openSqlite(url, around)
    }
    case 'postgres':
    case 'postgresql': {
      const { openPostgres } = await import('./postgres/open.ts')
      return await openPostgres(url, around)
    }
    case 'mysql':
    case 'mariadb': {
      const { openMysql } = await import('./mysql/open.ts')
      return await openMysql(url, around)
    }
  }
  throw unsupported(url, 'database')
}

/** Tables that are somebody else's, to read from. */
export async function openForeign(url: string, host: Host = processHost): Promise<ForeignTables> {
  switch (url.slice(0, url.indexOf(':'))) {
    case 'sqlite': {
      const { openSqliteForeign } = await import('./sqlite/foreign.ts')
      return await openSqliteForeign(url)
    }
    case 'postgres':
    case 'postgresql': {
      const { openPostgresForeign } = await import('./postgres/foreign.ts')
      return await openPostgresForeign(url, host)
    }
    case 'mysql':
    case 'mariadb': {
      const { openMysqlForeign } = await import('./mysql/foreign.ts')
      return await openMysqlForeign(url, host)
    }
  }
  throw unsupported(url, '--from')
}

function unsupported(url: string, field: string): EvertickError {
  return new EvertickError(
    'unsupported_database',
    `"${withoutSecrets(url)}" is not the URL of a database that Evertick supports.`,
    { field, next: 'Use sqlite:path/to/file.db, sqlite::memory:, postgres://… or mysql://….' },
  )
}

/** `DistributedLock` on Redis. */
export async function openRedisLocks(
  url: string,
  prefix: string,
  host: Host = processHost,
): Promise<RedisLocks> {
  const redis = await import('./redis/lock.ts')
  return await redis.openRedisLocks(url, prefix, host)
}

/** The marks of a `LeaderLogCoordinator` on Redis. */
export async function openRedisMarks(
  url: string,
  prefix: string,
  host: Host = processHost,
): Promise<RedisMarks> {
  const redis = await import('./redis/enqueue-marks.ts')
  return await redis.openRedisMarks(url, prefix, host)
}

/** Hints of one database's nodes, carried by Redis. */
export async function openRedisHints(
  url: string,
  options: RedisHintsOptions,
  host: Host = processHost,
): Promise<Hints> {
  const redis = await import('./redis/hints.ts')
  return await redis.openRedisHints(url, options, host)
}
