/** Is the database there, intact, up to date and writable? */
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { contextOf } from '../../../app/app-context.ts'
import { parseOptions } from '../../../app/config/config.ts'
import type { EvertickOptions } from '../../../app/config/options.ts'
import { Evertick } from '../../../evertick.ts'
import { openStore } from '../../../store/open-store.ts'
import { withoutSecrets } from '../../../store/store-url.ts'
import { bytesWords, counted } from '../../output/count-words.ts'
import {
  type Cli,
  databaseFile,
  databaseOf,
  databaseWords,
  openOptions,
  storeContext,
} from '../../session.ts'
import type { Settings } from '../../settings.ts'
import { type Check, failureOf, ok, warn } from './check.ts'

const lockName = 'evertick doctor'

/** The checks, and the database for those that follow; null if it cannot be used. */
export async function checkDatabase(
  cli: Cli,
  settings: Settings,
): Promise<{ checks: Check[]; evertick: Evertick | null }> {
  const checks: Check[] = []
  try {
    const url = databaseOf(cli, settings, false)
    const options = openOptions(settings, url, cli.terminal)
    const pending = await readSchema(options, databaseWords(settings), checks)
    if (pending > 0) {
      checks.push(warn('schema', `${counted(pending, 'pending migration')}.`, 'Run `evertick migrate up`.'))
      return { checks, evertick: null }
    }
    const evertick = await Evertick.open({ ...options, migrate: false })
    checks.push(ok('schema', 'Up to date.'), await checkWritable(cli, evertick, url))
    return { checks, evertick }
  } catch (error) {
    checks.push(failureOf(checks.length === 0 ? 'database' : 'schema', error))
    return { checks, evertick: null }
  }
}

async function readSchema(options: EvertickOptions, named: string, checks: Check[]): Promise<number> {
  const config = parseOptions(options)
  const { store, migrator } = await openStore(config.database, storeContext, config)
  try {
    await store.ping()
    checks.push(ok('database', `${named} answers.`))
    if (store.dialect !== 'sqlite') checks.push(hintsCheck(store.hears() !== 'nothing', config.redis))
    return (await migrator.plan()).length
  } finally {
    await store.close()
  }
}

function hintsCheck(hinted: boolean, redis: string | undefined): Check {
  if (hinted) return ok('hints', 'Nodes learn of each other’s writes at once.')
  if (redis !== undefined)
    return warn(
      'hints',
      `Redis does not answer at ${withoutSecrets(redis)}: nodes poll for each other’s writes.`,
      'Look whether it runs, and whether its URL is right. Work goes on without it, more slowly.',
    )
  return warn(
    'hints',
    'Nodes poll for each other’s writes once a second.',
    'Set `redis`, or on PostgreSQL set `pool.direct` to bypass the pooler.',
  )
}

async function checkWritable(cli: Cli, evertick: Evertick, url: string): Promise<Check> {
  const file = databaseFile(cli, url)
  try {
    // SQLite also writes next to its file.
    if (file !== null && existsSync(file)) accessSync(dirname(file), constants.W_OK)
    const lock = await evertick.locks.acquire(lockName, { ttl: '5s' })
    await lock?.release()
    return ok('writable', 'A write succeeded.')
  } catch (error) {
    return failureOf('writable', error)
  }
}

/** How much retention keeps. Nothing is too much by itself. */
export async function checkSizes(evertick: Evertick): Promise<Check> {
  const { history, ledger } = await contextOf(evertick).store.cluster.tableSizes()
  const kept = `${counted(history.rows, 'execution')} in ${bytesWords(history.bytes)}`
  return ok(
    'sizes',
    `${kept}; the ledger has ${counted(ledger.rows, 'range')} in ${bytesWords(ledger.bytes)}.`,
  )
}
