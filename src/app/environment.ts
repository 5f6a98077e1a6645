/** What the library takes from the environment, and only when `open` is called without it. */
import { EvertickError } from '../core/error.ts'

export function databaseFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const url = environment.EVERTICK_DATABASE_URL ?? environment.DATABASE_URL
  if (url !== undefined && url !== '') return url
  throw new EvertickError('invalid_config', 'No database is named.', {
    field: 'database',
    next: "Pass database: 'sqlite:evertick.db', or set EVERTICK_DATABASE_URL.",
  })
}

export function redisFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  return environment.EVERTICK_REDIS_URL || undefined
}

/** `MYSQL_DB_*` of apps with lease-based workers, as a URL; else what everybody takes. */
export function processingDatabaseFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const given = (part: string) => environment[`MYSQL_DB_${part}`] || undefined
  const name = given('NAME')
  const others = ['HOST', 'USER', 'PASSWORD', 'PORT'].filter((part) => given(part) !== undefined)
  if (name === undefined && others.length === 0) return databaseFromEnvironment(environment)
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
  // An address of version 6 has colons of its own.
  const place = host.includes(':') && !host.startsWith('[') ? `[${host}]` : encodeURIComponent(host)
  return `mysql://${account}@${place}:${given('PORT') ?? '3306'}/${encodeURIComponent(name)}`
}

/** Seed 004's variables: a Redis URL of its parts, each written so that no character of it can mean another. */
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
    `${name} is ${JSON.stringify(text)}, which is no number for it.`,
    {
      field: name,
      next: `Set ${name} to a whole number from ${from} to ${to}, or leave it out for ${fallback}.`,
    },
  )
}

/** For a facade that has a file of its own where the environment names no database. */
export function databaseFromEnvironmentOr(
  fallback: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return environment.EVERTICK_DATABASE_URL || environment.DATABASE_URL || fallback
}
