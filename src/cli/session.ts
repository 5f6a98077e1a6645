/** What a command works with: a system that it asks, the terminal, and the words for times. */
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Access } from '../app/access/access.ts'
import { apiConfig } from '../app/config/api-config.ts'
import type { EvertickOptions } from '../app/config/options.ts'
import { Evertick } from '../app/evertick.ts'
import { newId } from '../app/ids.ts'
import { EvertickError } from '../core/error.ts'
import { sqlitePath, withoutSecrets } from '../store/store-url.ts'
import type { Terminal } from './output/terminal.ts'
import { ownZone, Times } from './output/times.ts'
import { type Environment, type GlobalFlags, readSettings, type Settings } from './settings.ts'
import { streamLogger } from './stream-logger.ts'
import { localSystem, type System } from './system.ts'

/** For a store that is opened without a node. */
export const storeContext = { newId, tzVersion: process.versions.tz ?? 'unknown' }

/** The process as the commands see it. */
export interface Cli {
  readonly terminal: Terminal
  readonly env: Environment
  readonly cwd: string
  /** What the process ends with; a command that finds problems sets it. */
  exitCode: number
}

export interface Session {
  readonly evertick: System
  readonly terminal: Terminal
  readonly times: Times
  readonly settings: Settings
  /** Who asks, for the audit log. */
  readonly actor: string
}

/** Asks the server that the settings name; or opens the database, does the work, and closes it again. */
export async function withEvertick(
  cli: Cli,
  command: Command,
  work: (session: Session) => Promise<void>,
  { mayCreate = false, mayImagine = false }: { mayCreate?: boolean; mayImagine?: boolean } = {},
): Promise<void> {
  const read = await settingsOf(cli, command, { asksServer: true })
  const settings = mayImagine ? withImagined(cli, read) : read
  const around = { terminal: cli.terminal, times: timesOf(cli, settings), settings, actor: actor() }
  if (settings.remote !== null) {
    const { openRemote } = await import('./remote/open-remote.ts')
    return await work({ evertick: openRemote(settings.remote), ...around })
  }
  await withDatabase(cli, settings, { mayCreate }, async (evertick, database) => {
    const logger = streamLogger(cli.terminal, settings.logLevel)
    const system = localSystem(evertick, logger, () => accessOf(evertick, database, settings))
    await work({ evertick: system, ...around })
  })
}

/** For what only says what it would do: where there is no database, it would do it to an empty one. */
function withImagined(cli: Cli, settings: Settings): Settings {
  const { database } = settings
  const file = database === null ? null : databaseFile(cli, database.url)
  const isThere = database !== null && (file === null || existsSync(file))
  return isThere ? settings : { ...settings, database: { url: 'sqlite::memory:', from: 'a dry run' } }
}

/** For what is done to a database itself, whatever server is named. */
export async function withDatabase(
  cli: Cli,
  settings: Settings,
  { mayCreate }: { readonly mayCreate: boolean },
  work: (evertick: Evertick, database: string) => Promise<void>,
): Promise<void> {
  const database = databaseOf(cli, settings, mayCreate)
  const evertick = await Evertick.open(openOptions(settings, database, cli.terminal))
  try {
    await work(evertick, database)
  } finally {
    await evertick.stop()
  }
}

/** The tokens and links of the database. Loaded when it is asked for: most commands sign nothing. */
export async function accessOf(evertick: Evertick, database: string, { options }: Settings): Promise<Access> {
  const { openAccess } = await import('../app/access/open-access.ts')
  return openAccess(evertick, database, apiConfig(options.api))
}

export async function settingsOf(
  cli: Cli,
  command: Command,
  { asksServer } = { asksServer: false },
): Promise<Settings> {
  const flags = command.optsWithGlobals<GlobalFlags>()
  return await readSettings({ flags, env: cli.env, cwd: cli.cwd }, { asksServer })
}

/** The options of the file, without what only a running node needs. */
export function openOptions(settings: Settings, database: string, terminal: Terminal): EvertickOptions {
  const { jobs: _jobs, nodeId: _nodeId, roles: _roles, api: _api, logger, ...rest } = settings.options
  return {
    ...rest,
    database,
    logger: logger ?? streamLogger(terminal, settings.logLevel),
    ...(settings.timezone === null ? {} : { timezone: settings.timezone }),
  }
}

/** The URL to open. A file that is not there is refused: a slip of the pen must not make an empty database. */
export function databaseOf(cli: Cli, { database, ownDatabase }: Settings, mayCreate: boolean): string {
  if (database === null) {
    throw new EvertickError('database_missing', 'No database is named, and there is none in this folder.', {
      field: 'database',
      next: `Name one with --database or EVERTICK_DATABASE_URL, or make ${ownDatabase} with \`evertick migrate up\` or \`evertick start\`.`,
    })
  }
  const file = databaseFile(cli, database.url)
  if (!mayCreate && file !== null && !existsSync(file)) {
    throw new EvertickError('database_missing', `There is no file ${file} (named by ${database.from}).`, {
      field: 'database',
      next: 'Check the name, or make the database with `evertick migrate up` or `evertick start`.',
    })
  }
  return database.url
}

/** Which database a command works on, and what named it. */
export function databaseWords({ database, ownDatabase }: Settings): string {
  if (database === null) return `${ownDatabase} (nothing names another)`
  return `${withoutSecrets(database.url)} (named by ${database.from})`
}

/** The file of a SQLite database; null for one in memory and for other engines. */
export function databaseFile({ cwd }: Pick<Cli, 'cwd'>, url: string): string | null {
  if (!url.startsWith('sqlite:')) return null
  const path = sqlitePath(url)
  return path === ':memory:' ? null : resolve(cwd, path)
}

/** People read the zone of the configuration, else that of their own terminal; programs read UTC. */
export function timesOf(
  { terminal }: Cli,
  { timezone }: Pick<Settings, 'timezone'>,
  now = Date.now(),
): Times {
  return new Times(timezone ?? ownZone(), now, !terminal.out.tty)
}

/** Who sits here, for the audit log. */
export function actor(): string {
  try {
    return `cli:${userInfo().username}`
  } catch {
    // A container may run under a number that has no name.
    return 'cli'
  }
}
