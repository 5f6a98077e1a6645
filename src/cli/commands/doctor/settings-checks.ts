/** What the settings of this machine say: a node that is started with them would listen, sign and log like this. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { ownSecretName } from '../../../app/access/own-secret.ts'
import { refuseWeakSecret } from '../../../app/access/signing-keys.ts'
import { type ApiConfig, apiConfig } from '../../../app/config/api-config.ts'
import { type Cli, databaseFile } from '../../session.ts'
import type { Settings } from '../../settings.ts'
import { type Check, fail, failureOf, ok, warn } from './check.ts'

const dayMs = 86_400_000
/** A secret that signs is then due for rotation. */
const oldSecretDays = 365
const rotate = 'Rotate it: docs/operations/api.md#secrets.'

export function checkSettings(cli: Cli, settings: Settings): Check[] {
  const around = [checkLog(settings), checkArchive(cli, settings)]
  try {
    const api = apiConfig(settings.options.api)
    return [...around, checkApi(api), checkSecret(cli, settings, api)]
  } catch (error) {
    return [...around, failureOf('api', error)]
  }
}

function checkLog({ options, logLevel }: Settings): Check {
  if (options.logger !== undefined) return ok('log', 'A logger of your own.')
  if (logLevel === 'silent')
    return warn('log', 'Nothing is logged, failures neither.', 'Set EVERTICK_LOG_LEVEL to warn.')
  if (logLevel === 'debug')
    return warn('log', 'Every request to the API is a line.', 'Set EVERTICK_LOG_LEVEL to warn, the default.')
  return ok('log', `Level ${logLevel}.`)
}

function checkArchive({ cwd }: Cli, { options }: Settings): Check {
  if (options.archive === undefined) return ok('archive', 'None: what retention removes is not kept.')
  const folder = resolve(cwd, options.archive)
  try {
    // With the slash, a file of that name is none.
    accessSync(`${nearest(folder)}${sep}`, constants.W_OK)
    return ok('archive', `What retention removes goes to ${folder}.`)
  } catch {
    return fail(
      'archive',
      `${folder} cannot be written, so retention removes nothing.`,
      'Give this user the right to write there, or name another folder with `archive`.',
    )
  }
}

/** Folders that are missing are made. */
function nearest(path: string): string {
  return existsSync(path) ? path : nearest(dirname(path))
}

function checkApi({ host, hosts, metricsPublic }: ApiConfig): Check {
  const isLoopback = host === 'localhost' || host === '::1' || host.startsWith('127.')
  const readers = metricsPublic ? ' Anybody may read its metrics.' : ''
  if (isLoopback) return ok('api', `It listens on ${host}: this machine only.${readers}`)
  if (hosts.length > 0)
    return ok('api', `It listens on ${host}, and answers to ${hosts.join(', ')}.${readers}`)
  return warn(
    'api',
    `It listens on ${host}, and answers to any name.${readers}`,
    'Name those by which it is reached in EVERTICK_ALLOWED_HOSTS, and put a proxy with TLS in front.',
  )
}

function checkSecret(cli: Cli, settings: Settings, { secrets, provider }: ApiConfig): Check {
  const [signs] = secrets
  const made = ownSecretFile(cli, settings)
  if (signs === undefined && provider !== null)
    return ok('secret', 'None: tokens come from your own provider.')
  if (signs === undefined && made === null)
    return ok('secret', 'None: nodes with these settings have no API.')
  try {
    if (signs !== undefined) refuseWeakSecret(signs, 'EVERTICK_JWT_SECRET')
  } catch (error) {
    return failureOf('secret', error)
  }
  const file = signs === undefined ? made : (cli.env['EVERTICK_JWT_SECRET_FILE'] ?? null)
  const days = file === null || !existsSync(file) ? 0 : ageInDays(file)
  if (days > oldSecretDays) return warn('secret', `It has signed tokens for ${days} days.`, rotate)
  return ok(
    'secret',
    signs === undefined ? 'The one beside the database.' : 'Long enough, and no repeated word.',
  )
}

/** On SQLite the first start makes it; null for servers. */
function ownSecretFile(cli: Cli, { database, ownDatabase }: Settings): string | null {
  const file = databaseFile(cli, database?.url ?? ownDatabase)
  return file === null ? null : join(dirname(file), ownSecretName)
}

function ageInDays(file: string): number {
  return Math.floor((Date.now() - statSync(file).mtimeMs) / dayMs)
}
