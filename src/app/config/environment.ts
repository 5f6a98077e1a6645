/** What the library takes from the environment, and only when `open` is called without it. */
import { readFileSync } from 'node:fs'
import { EvertickError } from '../../core/error.ts'
import type { ProviderOptions } from '../access/foreign-tokens.ts'
import { type LogLevel, parseLogLevel } from '../log/log-level.ts'
import { type OidcOptions, oidcFrom } from './oidc-config.ts'

export function databaseFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const url =
    secretFrom(environment, 'EVERTICK_DATABASE_URL') ??
    (environment.DATABASE_URL || mysqlFromEnvironment(environment))
  if (url !== undefined) return url
  throw new EvertickError('invalid_config', 'No database is configured.', {
    field: 'database',
    next: "Pass database: 'sqlite:evertick.db', or set EVERTICK_DATABASE_URL.",
  })
}

export function redisFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  return secretFrom(environment, 'EVERTICK_REDIS_URL')
}

/** What a process that runs an isolated handler is given: the handler is the user's own code, as this process is. */
export function inheritedEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}

/** undefined where it does not say. */
export function logLevelFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): LogLevel | undefined {
  const given = environment.EVERTICK_LOG_LEVEL?.trim() || undefined
  return given === undefined ? undefined : parseLogLevel(given, 'EVERTICK_LOG_LEVEL')
}

/** The API's part. A secret may also stand in a file that `…_FILE` names, as containers have it. */
export function apiFromEnvironment(environment: Readonly<Record<string, string | undefined>> = process.env): {
  readonly host: string | undefined
  readonly port: number | undefined
  readonly basePath: string | undefined
  readonly hosts: readonly string[]
  readonly secrets: readonly string[]
  readonly provider: ProviderOptions | null
  readonly oidc: OidcOptions | undefined
  readonly oidcSecret: string | undefined
  readonly metricsPublic: boolean
  readonly trustProxy: readonly string[]
  readonly rateLimit: number
  readonly maxBodyBytes: number
} {
  const text = (name: string) => environment[name]?.trim() || undefined
  const port = text('EVERTICK_PORT')
  if (port !== undefined && !/^\d{1,5}$/.test(port)) {
    throw new EvertickError(
      'invalid_config',
      `EVERTICK_PORT is ${JSON.stringify(port)}, which is not a port.`,
      {
        field: 'EVERTICK_PORT',
        next: 'Use a number from 0 to 65535.',
      },
    )
  }
  const secret = secretFrom(environment, 'EVERTICK_JWT_SECRET')
  return {
    host: text('EVERTICK_HOST'),
    port: port === undefined ? undefined : Number(port),
    basePath: text('EVERTICK_BASE_PATH'),
    hosts: listed(text('EVERTICK_ALLOWED_HOSTS')),
    secrets:
      secret === undefined ? [] : [secret, ...listed(secretFrom(environment, 'EVERTICK_JWT_SECRET_OLD'))],
    provider: providerFrom(text),
    oidc: oidcFrom(text),
    oidcSecret: secretFrom(environment, 'EVERTICK_OIDC_CLIENT_SECRET'),
    metricsPublic: isOn(text, 'EVERTICK_METRICS_PUBLIC'),
    trustProxy: listed(text('EVERTICK_TRUST_PROXY')),
    rateLimit: wholeNumber('EVERTICK_RATE_LIMIT', text('EVERTICK_RATE_LIMIT'), 200, 1, 100_000),
    maxBodyBytes: wholeNumber(
      'EVERTICK_MAX_BODY_BYTES',
      text('EVERTICK_MAX_BODY_BYTES'),
      2_097_152,
      65_536,
      33_554_432,
    ),
  }
}

/** What the secrets of jobs are sealed with; the first seals, all open. */
export function secretsFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): readonly string[] {
  const names = ['EVERTICK_SECRETS_KEY', 'EVERTICK_JWT_SECRET'].map((name) => secretFrom(environment, name))
  const old = ['EVERTICK_SECRETS_KEY_OLD', 'EVERTICK_JWT_SECRET_OLD'].flatMap((name) =>
    listed(secretFrom(environment, name)),
  )
  return [...names.filter((secret) => secret !== undefined), ...old]
}

/** Absolute paths of programs that jobs may run, by colons; each path begins with a slash, so that commas do as well. */
export function allowedCommandsFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  return (environment.EVERTICK_ALLOW_COMMANDS ?? '').split(/[:,\s]+/).filter((path) => path !== '')
}

/** Names of variables that command jobs may set, by commas, colons or spaces. */
export function allowedVariablesFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  return (environment.EVERTICK_ALLOW_COMMAND_ENV ?? '').split(/[:,\s]+/).filter((name) => name !== '')
}

/** Only clear words count: a misspelt one must not open access by accident. */
function isOn(text: (name: string) => string | undefined, name: string): boolean {
  const said = text(name)?.toLowerCase()
  if (said === undefined || said === 'false' || said === '0') return false
  if (said === 'true' || said === '1') return true
  throw new EvertickError('invalid_config', `${name} is ${JSON.stringify(said)}; it must be true or false.`, {
    field: name,
    next: 'Use true or false.',
  })
}

function providerFrom(text: (name: string) => string | undefined): ProviderOptions | null {
  const jwksUrl = text('EVERTICK_JWKS_URL')
  if (jwksUrl === undefined) return null
  const issuer = text('EVERTICK_JWT_ISSUER')
  const audience = text('EVERTICK_JWT_AUDIENCE')
  if (issuer !== undefined && audience !== undefined) return { jwksUrl, issuer, audience }
  const missing = issuer === undefined ? 'EVERTICK_JWT_ISSUER' : 'EVERTICK_JWT_AUDIENCE'
  throw new EvertickError('invalid_config', `EVERTICK_JWKS_URL is set, but ${missing} is not.`, {
    field: missing,
    next: 'Set the issuer and the audience, so that a token for another service is refused.',
  })
}

/** A secret may also stand in a file that `…_FILE` names. */
export function secretFrom(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  const given = environment[name]
  if (given !== undefined && given !== '') return given
  const file = environment[`${name}_FILE`]
  if (file === undefined || file === '') return undefined
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new EvertickError('invalid_config', `${name}_FILE names ${file}, which cannot be read.`, {
      field: `${name}_FILE`,
      cause: error,
    })
  }
}

function listed(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** For the facades of apps with lease-based workers: `MYSQL_DB_*` first, else what everybody takes. */
export function processingDatabaseFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return mysqlFromEnvironment(environment) ?? databaseFromEnvironment(environment)
}

/** `MYSQL_DB_*` as a URL; undefined where none of them is set. */
export function mysqlFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const given = (part: string) => environment[`MYSQL_DB_${part}`] || undefined
  const name = given('NAME')
  const others = ['HOST', 'USER', 'PASSWORD', 'PORT'].filter((part) => given(part) !== undefined)
  if (name === undefined && others.length === 0) return undefined
  if (name === undefined) {
    throw new EvertickError('invalid_config', `MYSQL_DB_${others[0]} is set, but MYSQL_DB_NAME is not.`, {
      field: 'MYSQL_DB_NAME',
      next: 'Set MYSQL_DB_NAME, or name a database by EVERTICK_DATABASE_URL alone.',
    })
  }
  const [user, password] = [given('USER') ?? 'root', given('PASSWORD')].map((part) =>
    part === undefined ? '' : encodeURIComponent(part),
  )
  const account = password === '' ? user : `${user}:${password}`
  const host = given('HOST') ?? 'localhost'
  // An IPv6 address contains colons.
  const place = host.includes(':') && !host.startsWith('[') ? `[${host}]` : encodeURIComponent(host)
  return `mysql://${account}@${place}:${given('PORT') ?? '3306'}/${encodeURIComponent(name)}`
}

/** `REDIS_*` as a URL, with every part escaped. */
export function redisFromHostEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const { REDIS_HOST: host, REDIS_PORT: port, REDIS_DB: database, REDIS_PASSWORD: password } = environment
  if (host === undefined || host === '') return undefined
  const url = new URL('redis://localhost')
  url.hostname = host.includes(':') ? `[${host}]` : host
  url.port = String(wholeNumber('REDIS_PORT', port, 6_379, 1, 65_535))
  url.pathname = `/${wholeNumber('REDIS_DB', database, 0, 0, 65_535)}`
  if (password !== undefined) url.password = encodeURIComponent(password)
  return url.href
}

export function maxWorkersFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): number {
  return wholeNumber('MAX_WORKERS', environment.MAX_WORKERS, 5, 1, 10_000)
}

/** Where mails go out. */
export function smtpFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  return secretFrom(environment, 'EVERTICK_SMTP_URL')
}

/** Hosts in a private network that Evertick may call, by commas or spaces. */
export function privateHostsFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  return (environment.EVERTICK_ALLOW_PRIVATE_HOSTS ?? '').split(/[\s,]+/).filter((host) => host !== '')
}

function wholeNumber(
  name: string,
  text: string | undefined,
  fallback: number,
  from: number,
  to: number,
): number {
  if (text === undefined || text === '') return fallback
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= from && number <= to) return number
  throw new EvertickError(
    'invalid_config',
    `${name} is ${JSON.stringify(text)}; it must be a whole number from ${from} to ${to}.`,
    {
      field: name,
      next: `Correct it, or leave it out for ${fallback}.`,
    },
  )
}

/** For a facade that uses its own file if the environment names no database. */
export function databaseFromEnvironmentOr(
  fallback: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return secretFrom(environment, 'EVERTICK_DATABASE_URL') ?? (environment.DATABASE_URL || fallback)
}
