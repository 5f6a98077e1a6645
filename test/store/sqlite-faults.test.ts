/** Files that are missing, foreign, damaged or read-only: a coded error that says what to do, and nothing touched. */
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EvertickError } from '../../src/core/error.ts'
import { openStore } from '../../src/store/open-store.ts'
import { jobSpec, newExecution, newJob, scriptContext, t0 } from './builders.ts'
import { expectLaterComeBack, migrations, statusAt } from './migrations-by-name.ts'
import { temporaryFolder } from './sqlite-store.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => {
  folder.remove()
})

function inFolder(name: string): string {
  return join(folder.path, name)
}

async function open(path: string) {
  return await openStore(`sqlite:${path}`, scriptContext())
}

/** A migrated database with a few hundred rows, closed. */
async function databaseFile(): Promise<string> {
  const path = inFolder('evertick.db')
  const { store, migrator } = await open(path)
  await migrator.up(t0)
  await store.jobs.createJob(newJob('a', jobSpec({ schedule: null })))
  const input = 'x'.repeat(200)
  await store.work.enqueueExecutions(
    Array.from({ length: 500 }, (_, n) => newExecution(`e${n}`, 'a', { input })),
  )
  await store.close()
  return path
}

/** Everything that a node does with a file when it starts, as far as it comes. */
async function use(path: string): Promise<void> {
  const { store, migrator } = await open(path)
  try {
    await migrator.up(t0)
    await store.ticks.auditLedger({})
    await store.executions.listExecutions({ limit: 10_000 })
  } finally {
    await store.close()
  }
}

async function failure(work: Promise<unknown>): Promise<EvertickError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(EvertickError)
  return error as EvertickError
}

function overwrite(path: string, position: number, bytes: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(bytes, 0xa5), 0, bytes, position)
  closeSync(file)
}

function overwritePageOf(path: string, table: string): void {
  const client = new DatabaseSync(path)
  const found = client.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').get(table)
  client.close()
  overwrite(path, (Number(found?.['rootpage']) - 1) * 4_096, 4_096)
}

describe('a file that cannot be used is refused by name, with what to do, and left as it was', () => {
  const damages: readonly [title: string, code: string, damage: (path: string) => void][] = [
    ['no database', 'database_foreign', (path) => writeFileSync(path, 'Dear diary, '.repeat(400))],
    ['header overwritten', 'database_foreign', (path) => overwrite(path, 0, 64)],
    ['schema overwritten', 'database_damaged', (path) => overwrite(path, 100, 3_000)],
    ['rows overwritten', 'database_damaged', (path) => overwritePageOf(path, 'evertick_job_executions')],
    ['migrations overwritten', 'database_damaged', (path) => overwritePageOf(path, 'evertick_migrations')],
    ['truncated', 'database_damaged', (path) => truncateSync(path, 5 * 4_096 + 17)],
  ]
  test.each(damages)('%s', async (_title, code, damage) => {
    const path = await databaseFile()
    damage(path)
    const before = readFileSync(path)
    const error = await failure(use(path))
    expect(error).toMatchObject({ code, kind: 'unavailable' })
    expect(error.message).toContain(path)
    expect(error.next).toMatch(/untouched/)
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test('a folder that does not exist', async () => {
    const path = join(inFolder('nowhere'), 'evertick.db')
    const error = await failure(open(path))
    expect(error.code).toBe('database_missing')
    expect(error.next).toContain('folder')
    expect(error.message).toContain(path)
  })

  test('a folder in place of the file', async () => {
    mkdirSync(inFolder('evertick.db'))
    expect(await failure(open(inFolder('evertick.db')))).toMatchObject({ code: 'database_missing' })
  })

  // Root may write anywhere, so there a read-only folder cannot be made.
  test.skipIf(process.getuid?.() === 0)('a folder that may not be written', async () => {
    chmodSync(folder.path, 0o500)
    try {
      const error = await failure(open(inFolder('evertick.db')))
      expect(error.code).toBe('database_missing')
      expect(error.next).toContain('folder')
    } finally {
      chmodSync(folder.path, 0o700)
    }
  })

  test('a URL that names no known database, with its password kept out', async () => {
    const error = await failure(openStore('oracle://scott:tiger@host/db', scriptContext()))
    expect(error).toMatchObject({ code: 'unsupported_database', field: 'database' })
    expect(error.message).not.toContain('tiger')
    expect(await failure(openStore('sqlite:', scriptContext()))).toMatchObject({
      code: 'unsupported_database',
    })
  })
})

describe('migrations', () => {
  const schema = (path: string) => {
    const client = new DatabaseSync(path)
    const rows = client.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all()
    client.close()
    return rows
  }

  test('up, down, up gives the same schema; down leaves nothing of ours and all of theirs', async () => {
    const path = inFolder('evertick.db')
    const theirs = new DatabaseSync(path)
    theirs.exec('CREATE TABLE orders (id INTEGER)')
    theirs.close()
    const { store, migrator } = await open(path)
    expect((await migrator.plan()).map(({ name }) => name)).toEqual(migrations)
    expect(await migrator.up(t0)).toEqual(migrations)
    expect(await migrator.up(t0)).toEqual([])
    expect(await migrator.status()).toEqual(statusAt(t0))
    const first = schema(path)
    expect(await migrator.down()).toEqual(migrations.toReversed())
    expect(schema(path).map((row) => row['name'])).toEqual(expect.arrayContaining(['orders']))
    expect(schema(path).filter((row) => !String(row['name']).startsWith('sqlite_'))).toHaveLength(1)
    expect(await migrator.status()).toEqual(statusAt(null))
    await migrator.up(t0)
    expect(schema(path)).toEqual(first)
    await store.close()
  })

  test('what came later comes to a database with jobs, a ledger and running work in it, which all stay', async () => {
    const opened = await open(inFolder('evertick.db'))
    await expectLaterComeBack(opened)
    await opened.store.close()
  })

  test('a table that Evertick did not make is refused by name, and nothing is changed', async () => {
    const path = inFolder('evertick.db')
    const { store, migrator } = await open(path)
    const theirs = new DatabaseSync(path)
    theirs.exec('CREATE TABLE scheduler_leader_log (mine INTEGER)')
    theirs.close()
    const before = schema(path)
    const error = await failure(migrator.up(t0))
    expect(error.code).toBe('migration_failed')
    expect(error.message).toContain('scheduler_leader_log')
    expect(error.next).toContain('Nothing was changed')
    expect(schema(path)).toEqual(before)
    await store.close()
  })

  test('a newer schema and a changed migration are refused', async () => {
    const path = inFolder('evertick.db')
    const { store, migrator } = await open(path)
    await migrator.up(t0)
    const client = new DatabaseSync(path)
    client.exec(`INSERT INTO evertick_migrations VALUES (9999, '9999_future', 'x', 0)`)
    for (const act of ['plan', 'up'] as const) {
      const error = await failure(migrator[act](t0))
      expect(error.code).toBe('schema_newer')
      expect(error.next).toContain('Upgrade')
    }
    client.exec('DELETE FROM evertick_migrations WHERE version = 9999')
    client.exec(`UPDATE evertick_migrations SET checksum = 'other'`)
    expect((await failure(migrator.up(t0))).code).toBe('migration_failed')
    client.close()
    await store.close()
  })
})
