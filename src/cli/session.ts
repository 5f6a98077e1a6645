/** What a command works with: the system, the terminal and how to print times. */
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Access } from '../app/access/access.ts'
import { contextOf } from '../app/app-context.ts'
import { apiConfig } from '../app/config/api-config.ts'
import type { EvertickOptions } from '../app/config/options.ts'
import { newId } from '../app/ids.ts'
import { EvertickError } from '../core/error.ts'
import { Evertick } from '../evertick.ts'
import type { ForeignTables } from '../store/foreign.ts'
import { openForeign } from '../store/open-store.ts'
import { makeDataFolder, makePrivateFolder } from '../store/private-files.ts'
import { sqlitePath, withoutSecrets } from '../store/store-url.ts'
import type { Terminal } from './output/terminal.ts'
import { ownZone, Times } from './output/times.ts'
import { type Environment, type GlobalFlags, readSettings, type Settings } from './settings.ts'
import { streamLogger } from './stream-logger.ts'
import { localSystem, type System } from './system.ts'

/** For opening a store without a node. */
export const storeContext = { newId, tzVersion: process.versions.tz ?? 'unknown' }

/** The process, as commands see it. */
export interface Cli {
  readonly terminal: Terminal
  readonly env: Environment
  readonly cwd: string
  /** A command that finds problems sets it. */
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

/** Does the work on the server of the settings or, if there is none, on the database, which is opened and closed here. */
export async function withEvertick(
  cli: Cli,
  command: Command,
  work: (session: Session) => Promise<void>,
  { mayCreate = false, inMemoryIfMissing = false }: { mayCreate?: boolean; inMemoryIfMissing?: boolean } = {},
): Promise<void> {
  const read = await settingsOf(cli, command, { asksServer: true })
  const settings = inMemoryIfMissing ? orInMemory(cli, read) : read
  const around = { terminal: cli.terminal, times: timesOf(cli, settings), settings, actor: actor() }
  if (settings.remote !== null) {
    const { openRemote } = await import('./remote/open-remote.ts')
    return await work({ evertick: openRemote(settings.remote), ...around })
  }
  await withDatabase(cli, settings, { mayCreate }, async (evertick) => {
    const system = localSystem(evertick, () => accessOf(evertick, settings))
    await work({ evertick: system, ...around })
  })
}

/** Tables of another system, to read. A missing file is refused: nothing may make it. */
export async function openSource(cli: Cli, url: string): Promise<ForeignTables> {
  refuseMissingFile(cli, url)
  return await openForeign(url)
}

/** Of a database that is only read. */
export function refuseMissingFile(cli: Cli, url: string): void {
  const file = databaseFile(cli, url)
  if (file === null || existsSync(file)) return
  throw new EvertickError('database_missing', `The database file ${file} does not exist.`, {
    field: '--from',
    next: 'Check the name.',
  })
}

/** For a dry run: without a database, it shows what would happen to an empty one. */
export function orInMemory(cli: Cli, settings: Settings): Settings {
  const { database } = settings
  const file = database === null ? null : databaseFile(cli, database.url)
  const exists = database !== null && (file === null || existsSync(file))
  return exists ? settings : { ...settings, database: { url: 'sqlite::memory:', from: 'a dry run' } }
}

/** For commands that work on the database itself, even if a server is set. */
export async function withDatabase(
  cli: Cli,
  settings: Settings,
  { mayCreate }: { readonly mayCreate: boolean },
  work: (evertick: Evertick) => Promise<void>,
): Promise<void> {
  const database = databaseOf(cli, settings, mayCreate)
  const evertick = await Evertick.open(openOptions(settings, database, cli.terminal))
  try {
    await work(evertick)
  } finally {
    await evertick.stop()
  }
}

/** The tokens and sign-in links of the database. Loaded on demand: most commands sign nothing. */
export async function accessOf(evertick: Evertick, { options }: Settings): Promise<Access> {
  const { openAccess } = await import('../app/access/open-access.ts')
  return openAccess(contextOf(evertick), apiConfig(options.api))
}

export async function settingsOf(
  cli: Cli,
  command: Command,
  { asksServer } = { asksServer: false },
): Promise<Settings> {
  const flags = command.optsWithGlobals<GlobalFlags>()
  return await readSettings({ flags, env: cli.env, cwd: cli.cwd }, { asksServer })
}

/** The options of the configuration file, without those that only a running node needs. */
export function openOptions(settings: Settings, database: string, terminal: Terminal): EvertickOptions {
  const { jobs: _jobs, nodeId: _nodeId, roles: _roles, api: _api, logger, ...rest } = settings.options
  return {
    ...rest,
    database,
    logger: logger ?? streamLogger(terminal, settings.logLevel),
    ...(settings.timezone === null ? {} : { timezone: settings.timezone }),
  }
}

/** The URL to open. A missing file is refused: a typo must not create an empty database. */
export function databaseOf(cli: Cli, { database, ownDatabase }: Settings, mayCreate: boolean): string {
  if (database === null) {
    throw new EvertickError('database_missing', 'No database was given, and this folder has none.', {
      field: 'database',
      next: `Set --database or EVERTICK_DATABASE_URL, or create ${ownDatabase} with \`evertick migrate up\` or \`evertick start\`.`,
    })
  }
  const file = databaseFile(cli, database.url)
  if (!mayCreate && file !== null && !existsSync(file)) {
    throw new EvertickError(
      'database_missing',
      `The database file ${file} does not exist (from ${database.from}).`,
      {
        field: 'database',
        next: 'Check the name, or create the database with `evertick migrate up` or `evertick start`.',
      },
    )
  }
  return database.url
}

/** The URL for a command that makes the database; of a SQLite file that is not there yet, the folder is made. */
export function databaseToMake(cli: Cli, settings: Settings): string {
  const url = settings.database?.url ?? settings.ownDatabase
  const file = databaseFile(cli, url)
  if (url !== settings.ownDatabase) makeFolderOf(cli, url)
  else if (file !== null && !existsSync(file)) makeDataFolder(dirname(file))
  return url
}

/** Of a SQLite file that is not there yet. */
export function makeFolderOf(cli: Pick<Cli, 'cwd'>, url: string): void {
  const file = databaseFile(cli, url)
  if (file !== null && !existsSync(file)) makePrivateFolder(dirname(file))
}

/** Which database a command works on, and where that was set. */
export function databaseWords({ database, ownDatabase }: Settings): string {
  if (database === null) return `${ownDatabase} (the default)`
  return `${withoutSecrets(database.url)} (from ${database.from})`
}

/** The file of a SQLite database; null for one in memory and for other engines. */
export function databaseFile({ cwd }: Pick<Cli, 'cwd'>, url: string): string | null {
  if (!url.startsWith('sqlite:')) return null
  const path = sqlitePath(url)
  return path === ':memory:' ? null : resolve(cwd, path)
}

/** For people in the configured zone, or else the machine's; for programs in UTC. */
export function timesOf(
  { terminal }: Cli,
  { timezone }: Pick<Settings, 'timezone'>,
  now = Date.now(),
): Times {
  return new Times(timezone ?? ownZone(), now, !terminal.out.tty)
}

/** The current user, for the audit log. */
export function actor(): string {
  try {
    return `cli:${userInfo().username}`
  } catch {
    // In a container, the user id may have no name.
    return 'cli'
  }
}
