/** Once per vitest run: the servers that the tests under test/servers need, found or installed and started. */
import type { TestProject } from 'vitest/node'
import { howToGet, isInstalled, serverNames, services } from './binaries.ts'
import { installMissing } from './install.ts'
import { pingMysql, startMariadb } from './mariadb.ts'
import { startPgbouncer } from './pgbouncer.ts'
import { pingPostgres, startPostgres } from './postgres.ts'
import { pingRedis, startRedis } from './redis.ts'
import type { Server } from './server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Each is null where the service cannot be had; `missingServices` then says why. */
    readonly postgresUrl: string | null
    readonly pgbouncerUrl: string | null
    readonly mysqlUrl: string | null
    readonly redisUrl: string | null
    readonly missingServices: readonly string[]
  }
}

type ServerName = (typeof serverNames)[number]

interface Kind {
  start(): Promise<Server>
  ping(url: string): Promise<void>
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started: Server[] = []
  const missingServices: string[] = []
  // Decided before apt-get begins: a program is on the disk a while before its package is ready.
  const lacking = serverNames.filter((name) => givenUrl(name) === null && !isInstalled(name))
  const installed = installMissing(lacking)
  // Told by the services that wait for it; one of them may come to that after it has failed.
  installed.catch(() => {})

  async function provideUrl(name: ServerName, kind: Kind): Promise<string | null> {
    const url = await urlOf(name, kind).catch((error: unknown) => {
      missingServices.push(reason(error))
      process.stdout.write(`${services[name].label.padEnd(10)}  missing: ${reason(error)}\n`)
      return null
    })
    project.provide(`${name}Url`, url)
    return url
  }

  async function urlOf(name: ServerName, kind: Kind): Promise<string> {
    const { label, variable } = services[name]
    const given = givenUrl(name)
    if (given !== null) {
      await kind.ping(given).catch((error: unknown) => {
        throw new Error(`${label} does not answer where ${variable} says: ${reason(error)}`, { cause: error })
      })
      process.stdout.write(`${label.padEnd(10)}  as ${variable} says\n`)
      return given
    }
    if (lacking.includes(name)) await installed
    if (!isInstalled(name)) throw new Error(howToGet(name))
    const startedAt = performance.now()
    const server = await kind.start()
    started.push(server)
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    process.stdout.write(
      `${label.padEnd(10)}  ${new URL(server.url).host}, pid ${server.pid}, ${seconds} s\n`,
    )
    return server.url
  }

  async function providePostgres(): Promise<void> {
    const postgresUrl = await provideUrl('postgres', { start: startPostgres, ping: pingPostgres })
    const start = (): Promise<Server> => {
      if (postgresUrl === null) throw new Error('PgBouncer has no PostgreSQL to stand before.')
      return startPgbouncer(postgresUrl)
    }
    await provideUrl('pgbouncer', { start, ping: pingPostgres })
  }

  await Promise.all([
    providePostgres(),
    provideUrl('mysql', { start: startMariadb, ping: pingMysql }),
    provideUrl('redis', { start: startRedis, ping: pingRedis }),
  ])
  project.provide('missingServices', missingServices)
  return async () => {
    await Promise.all(started.map((server) => server.remove()))
  }
}

function givenUrl(name: ServerName): string | null {
  const { variable } = services[name]
  const url = variable === null ? undefined : process.env[variable]
  return url === undefined || url === '' ? null : url
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A host name with several addresses fails with all of their errors and no message of its own.
  return error instanceof AggregateError ? error.errors.map(reason).join('; ') : error.message
}
