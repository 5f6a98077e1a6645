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
