/** Reads the settings: flags win over the environment, and the environment over the configuration file. */
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { mysqlFromEnvironment, secretFrom } from '../app/config/environment.ts'
import type { EvertickOptions } from '../app/config/options.ts'
import { type LogLevel, parseLogLevel } from '../app/log/log-level.ts'
import { EvertickError } from '../core/error.ts'
import { parseTimezone } from '../core/schedule/timezone.ts'
import { loadConfigFile } from './config-file.ts'

export interface GlobalFlags {
  readonly url?: string
  readonly token?: string
  readonly database?: string
  readonly config?: string
}

/** A server to use instead of a database. */
export interface RemoteSettings {
  readonly url: string
  /** The flag or variable that set it. */
  readonly from: string
  readonly token: string | undefined
}

export interface Settings {
  /** null for a database. */
  readonly remote: RemoteSettings | null
  /** null if none is set. */
  readonly database: { readonly url: string; readonly from: string } | null
  /** The database that `start` creates if none is set. */
  readonly ownDatabase: string
  readonly dataDir: string
  readonly timezone: string | null
  readonly logLevel: LogLevel
  readonly configPath: string | null
  readonly options: Partial<EvertickOptions>
}

export type Environment = Readonly<Record<string, string | undefined>>

export interface SettingsSource {
  readonly flags: GlobalFlags
  readonly env: Environment
  readonly cwd: string
}

/**
 * A configuration file is code, and somebody else may have left it in the folder. A command for a server only runs it if
 * --config names it. `asksServer` is false for commands that work on the database itself, even if EVERTICK_URL is set.
 */
export async function readSettings(
  { flags, env, cwd }: SettingsSource,
  { asksServer }: { readonly asksServer: boolean },
): Promise<Settings> {
  const skipsFile = asksServer && flags.config === undefined && remoteOf(flags, env) !== null
  const file = skipsFile ? null : await loadConfigFile(cwd, flags.config)
  return settle(
    { flags, env, cwd },
    file === null ? null : file.path,
    file === null ? {} : file.options,
    () => named('DATABASE_URL', env) ?? namedByParts(env) ?? fromFile(file?.options.database, file?.path),
  )
}

/** For the example: no file, and only the variables that start with EVERTICK_. */
export function exampleSettings(source: SettingsSource): Settings {
  return settle(source, null, {}, () => null)
}

function settle(
  { flags, env, cwd }: SettingsSource,
  configPath: string | null,
  options: Partial<EvertickOptions>,
  later: () => Settings['database'],
): Settings {
  const dataDir = text(env.EVERTICK_DATA_DIR) ?? '.evertick'
  const path = join(dataDir, 'evertick.db')
  const ownDatabase = `sqlite:${path}`
  const given = text(flags.database)
  const database =
    (given === null ? null : { url: given, from: '--database' }) ??
    namedAsSecret('EVERTICK_DATABASE_URL', env) ??
    later() ??
    (existsSync(resolve(cwd, path)) ? { url: ownDatabase, from: `the folder ${dataDir}` } : null)
  return {
    remote: remoteOf(flags, env),
    database,
    ownDatabase,
    dataDir,
    timezone: timezoneOf(env, options),
    logLevel: parseLogLevel(text(env.EVERTICK_LOG_LEVEL) ?? 'warn', 'EVERTICK_LOG_LEVEL'),
    configPath: configPath === null ? null : relative(cwd, configPath),
    options: withoutNamed(env, withRedis(env, options)),
  }
}

/** Flags win over the environment, and --database over EVERTICK_URL. */
function remoteOf(flags: GlobalFlags, env: Environment): RemoteSettings | null {
  const given = text(flags.url)
  const inherited = text(flags.database) === null ? text(env.EVERTICK_URL) : null
  const url = given ?? inherited
  if (url !== null) {
    const token = text(flags.token) ?? secretFrom(env, 'EVERTICK_TOKEN')
    return { url, from: given === null ? 'EVERTICK_URL' : '--url', token }
  }
  if (text(flags.token) === null) return null
  throw new EvertickError('invalid_option', '--token needs a server, and none was given.', {
    field: '--token',
    next: 'Set --url or EVERTICK_URL, or remove --token.',
  })
}

/** An empty variable counts as unset: that is how shells and compose files unset one. */
function text(value: string | undefined): string | null {
  return value === undefined || value.trim() === '' ? null : value
}

function named(name: string, env: Environment): Settings['database'] {
  const url = text(env[name])
  return url === null ? null : { url, from: name }
}

/** Its password makes it a secret, so it may stand in a file. */
function namedAsSecret(name: string, env: Environment): Settings['database'] {
  const url = text(secretFrom(env, name))
  if (url === null) return null
  return { url, from: text(env[name]) === null ? `${name}_FILE` : name }
}

/** The database that `ProcessingWorker` reads from MYSQL_DB_*, so that `migrate` prepares the same one. */
function namedByParts(env: Environment): Settings['database'] {
  const url = mysqlFromEnvironment(env)
  return url === undefined ? null : { url, from: 'MYSQL_DB_NAME' }
}

function fromFile(url: string | undefined, path: string | undefined): Settings['database'] {
  return url === undefined || path === undefined ? null : { url, from: path }
}

/** The environment wins over the file. If the file sets no Redis, the library reads the variable itself. */
function withRedis(env: Environment, options: Partial<EvertickOptions>): Partial<EvertickOptions> {
  const redis = text(secretFrom(env, 'EVERTICK_REDIS_URL'))
  return redis === null || options.redis === undefined ? options : { ...options, redis }
}

/** The same for the API: what the environment sets is removed from the file's options, and the library reads it. */
function withoutNamed(env: Environment, options: Partial<EvertickOptions>): Partial<EvertickOptions> {
  if (options.api === undefined) return options
  const isNamed = (name: string) => text(env[name]) !== null || text(env[`${name}_FILE`]) !== null
  const kept = Object.entries(options.api).filter(([key]) => !isNamed(apiVariables[key] ?? ''))
  return { ...options, api: Object.fromEntries(kept) }
}

const apiVariables: Readonly<Record<string, string>> = {
  host: 'EVERTICK_HOST',
  port: 'EVERTICK_PORT',
  basePath: 'EVERTICK_BASE_PATH',
  hosts: 'EVERTICK_ALLOWED_HOSTS',
  secrets: 'EVERTICK_JWT_SECRET',
  provider: 'EVERTICK_JWKS_URL',
  oidc: 'EVERTICK_OIDC_ISSUER',
  metricsPublic: 'EVERTICK_METRICS_PUBLIC',
  trustProxy: 'EVERTICK_TRUST_PROXY',
  rateLimit: 'EVERTICK_RATE_LIMIT',
  maxBodyBytes: 'EVERTICK_MAX_BODY_BYTES',
}

function timezoneOf(env: Environment, options: Partial<EvertickOptions>): string | null {
  const given = text(env.EVERTICK_TIMEZONE)
  if (given !== null) return parseTimezone(given, 'EVERTICK_TIMEZONE')
  return options.timezone === undefined ? null : parseTimezone(options.timezone, 'timezone')
}
