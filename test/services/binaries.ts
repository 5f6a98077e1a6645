/** Where the servers' programs are: on the PATH, or where Debian and others put what is not meant to be typed. */
import { accessSync, constants, globSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export const services = {
  postgres: {
    label: 'PostgreSQL',
    variable: 'EVERTICK_TEST_POSTGRES_URL',
    debianPackage: 'postgresql',
    programs: [['postgres'], ['initdb']],
  },
  pgbouncer: {
    label: 'PgBouncer',
    variable: null,
    debianPackage: 'pgbouncer',
    programs: [['pgbouncer']],
  },
  mysql: {
    label: 'MariaDB',
    variable: 'EVERTICK_TEST_MYSQL_URL',
    debianPackage: 'mariadb-server',
    programs: [['mariadbd'], ['mariadb-install-db']],
  },
  redis: {
    label: 'Redis',
    variable: 'EVERTICK_TEST_REDIS_URL',
    debianPackage: 'redis-server',
    // Several distributions have put its fork in its place.
    programs: [['redis-server', 'valkey-server']],
  },
  chromium: {
    label: 'Chromium',
    variable: null,
    debianPackage: 'chromium',
    programs: [['chromium', 'chromium-browser', 'google-chrome']],
  },
  curl: { label: 'curl', variable: null, debianPackage: 'curl', programs: [['curl']] },
  systemd: {
    label: 'systemd-analyze',
    variable: null,
    debianPackage: 'systemd',
    programs: [['systemd-analyze']],
  },
  jq: { label: 'jq', variable: null, debianPackage: 'jq', programs: [['jq']] },
} as const satisfies Record<string, ServiceNeeds>

export type ServiceName = keyof typeof services

/** Those that listen; the others are programs that a test runs. */
export const serverNames = ['postgres', 'pgbouncer', 'mysql', 'redis'] as const satisfies ServiceName[]

export interface ServiceNeeds {
  readonly label: string
  /** The environment variable that names a server to use instead; PgBouncer stands before ours, and a program is none. */
  readonly variable: string | null
  readonly debianPackage: string
  /** Each program with the other names under which it may be found. */
  readonly programs: readonly (readonly string[])[]
}

const usualFolders = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql@*/bin',
  '/usr/sbin',
  '/usr/libexec',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/opt/homebrew/bin',
]

export function isInstalled(service: ServiceName): boolean {
  return services[service].programs.every((names) => findProgram(...names) !== null)
}

/** The first program of these names. */
export function findProgram(...names: readonly string[]): string | null {
  const folders = programFolders()
  for (const name of names) {
    const found = folders.map((folder) => join(folder, name)).find(isProgram)
    if (found !== undefined) return found
  }
  return null
}

/** As `findProgram`, for a caller that cannot go on without it. */
export function requireProgram(service: ServiceName, ...names: readonly string[]): string {
  const found = findProgram(...names)
  if (found === null) throw new Error(howToGet(service))
  return found
}

export function howToGet(service: ServiceName): string {
  const { label, variable, debianPackage, programs } = services[service]
  const lacking = programs.filter((names) => findProgram(...names) === null).map(([name]) => name)
  const other = variable === null ? '' : `, or set ${variable} to a server that the tests may use`
  return (
    `${label} is needed and not on this machine (no ${lacking.join(', no ')}). ` +
    `Install it (Debian and Ubuntu: apt-get install ${debianPackage})${other}.`
  )
}

function programFolders(): string[] {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const usual = usualFolders.flatMap((folder) => (folder.includes('*') ? newestFirst(folder) : [folder]))
  return [...path, ...usual]
}

function newestFirst(pattern: string): string[] {
  return globSync(pattern).toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
