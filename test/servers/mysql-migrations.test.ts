/** Migrations where DDL commits by itself: killed anywhere, they are simply run again. */
import * as mysql from 'mysql2/promise'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { processHost } from '../../src/store/host.ts'
import type { Migrator } from '../../src/store/migrate.ts'
import { mysqlEngine } from '../../src/store/mysql/driver.ts'
import { mysqlMigrator } from '../../src/store/mysql/migrator.ts'
import { placeOf } from '../../src/store/mysql/place.ts'
import { collationOf } from '../../src/store/mysql/server-facts.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Step } from '../../src/store/sql/runtime/script.ts'
import { ServerDriver } from '../../src/store/sql/runtime/server-driver.ts'
import type { Session, SessionPool } from '../../src/store/sql/runtime/server-session.ts'
import { createMysql, type TestDatabase } from '../services/databases.ts'
import { newJob, scriptContext, t0 } from '../store/builders.ts'
import { expectLaterComeBack, migrations, statusAt } from '../store/migrations-by-name.ts'

const url = inject('mysqlUrl')

describe.skipIf(url === null)('migrations of MySQL', () => {
  let database: TestDatabase
  let door: mysql.Connection
  beforeEach(async () => {
    database = await createMysql(url ?? '')
    door = await mysql.createConnection(database.url)
  })
  afterEach(async () => {
    await door.end()
    await database.drop()
  })

  test('up, down and up again make the same catalog, and down leaves nothing', async () => {
    const { migrator, close } = await openMigrator(database.url)
    expect(await migrator.up(t0)).toEqual(migrations)
    const first = await catalog(door)
    expect(await migrator.status()).toEqual(statusAt(t0))
    expect(await migrator.up(t0)).toEqual([])
    expect(await migrator.down()).toEqual(migrations.toReversed())
    expect(await catalog(door)).toEqual([])
    expect(await migrator.down()).toEqual([])
    expect(await migrator.up(t0)).toEqual(migrations)
    expect(await catalog(door)).toEqual(first)
    await close()
  })

  test('what came later comes to a database with jobs, a ledger and running work in it, which all stay', async () => {
    const opened = await openStore(database.url, scriptContext())
    await expectLaterComeBack(opened)
    await opened.store.close()
  })

  test('of five at once, one migrates and the others find it done', async () => {
    const five = await Promise.all(Array.from({ length: 5 }, () => openMigrator(database.url)))
    const applied = await Promise.all(five.map(async ({ migrator }) => await migrator.up(t0)))
    expect(applied.flat()).toEqual(migrations)
    for (const { close } of five) await close()
  })

  test('a table that is not ours is refused by name, and nothing is changed', async () => {
    await door.query('CREATE TABLE evertick_queues (id INT)')
    const before = await catalog(door)
    const { migrator, close } = await openMigrator(database.url)
    const refusal = migrator.up(t0)
    await expect(refusal).rejects.toMatchObject({ code: 'migration_failed' })
    await expect(refusal).rejects.toThrow('"evertick_queues"')
    expect(await catalog(door)).toEqual(before)
    await migrator.down()
    expect(await catalog(door)).toEqual(before)
    await close()
  })

  test('a newer schema is refused, and one whose beginning was another', async () => {
    const { migrator, close } = await openMigrator(database.url)
    await migrator.up(t0)
    await door.query(
      `INSERT INTO evertick_migrations (version, name, checksum, steps) VALUES (9999, '9999_later', 'x', 1)`,
    )
    for (const refused of [migrator.up(t0), migrator.plan()]) {
      await expect(refused).rejects.toMatchObject({ code: 'schema_newer' })
    }
    await door.query('DELETE FROM evertick_migrations WHERE version = 9999')
    await door.query(`UPDATE evertick_migrations SET checksum = 'y', applied_at = NULL, steps = 3`)
    await expect(migrator.up(t0)).rejects.toMatchObject({ code: 'migration_failed' })
    await close()
  })

  test('killed once after every single statement, it makes what a clean run makes', async () => {
    const clean = await cleanCatalog()
    const deaths = new Set<string>()
    const dies = (step: Step) => {
      const size = deaths.size
      return deaths.add(JSON.stringify(step)).size > size
    }
    const { migrator, close } = await openMigrator(database.url, dies)
    while (!(await ends(migrator.up(t0))));
    expect(await catalog(door)).toEqual(clean)
    // The lock, what is there, the record, and each statement with its mark.
    expect(deaths.size).toBeGreaterThan(2 * 18)
    await close()
  }, 300_000)

  test('a down that was killed after any statement is undone by up', async () => {
    const { migrator, close } = await openMigrator(database.url)
    await migrator.up(t0)
    const whole = await catalog(door)
    let survived = 0
    // A whole schema for each: the campaign tries all of them.
    const step = process.env['EVERTICK_KILL_MOMENTS'] === 'all' ? 1 : 5
    for (let ended = false; !ended; survived += step) {
      const doomed = await openMigrator(database.url, after(survived))
      ended = await ends(doomed.migrator.down())
      await doomed.close()
      await migrator.up(t0)
      expect({ survived, catalog: await catalog(door) }).toEqual({ survived, catalog: whole })
    }
    expect(survived).toBeGreaterThan(18)
    await close()
  }, 300_000)

  test('a down that was killed is ended by down', async () => {
    const { migrator, close } = await openMigrator(database.url)
    await migrator.up(t0)
    const doomed = await openMigrator(database.url, after(12))
    expect(await ends(doomed.migrator.down())).toBe(false)
    await doomed.close()
    await migrator.down()
    expect(await catalog(door)).toEqual([])
    await close()
  })

  test('with a prefix of its own', async () => {
    await door.query('CREATE TABLE evertick_jobs (id INT)')
    const foreign = await catalog(door)
    const { store, migrator } = await openStore(`${database.url}?prefix=app_`, scriptContext())
    await migrator.up(t0)
    const [tables] = await door.query<(mysql.RowDataPacket & { name: string })[]>(
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
    )
    const others = tables.map(({ name }) => name).filter((name) => !name.startsWith('app_'))
    expect(others.sort()).toEqual(['evertick_jobs', 'processing_jobs', 'scheduler_leader_log'])
    await store.jobs.createJob(newJob('a'))
    expect(await store.jobs.findJob('a')).not.toBeNull()
    await migrator.down()
    expect(await catalog(door)).toEqual(foreign)
    await store.close()
  })

  async function cleanCatalog(): Promise<string[]> {
    const { migrator, close } = await openMigrator(database.url)
    await migrator.up(t0)
    const clean = await catalog(door)
    await migrator.down()
    await close()
    return clean
  }
})

/** False where it was killed. */
async function ends(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof Error && error.message === 'killed') return false
    throw error
  }
}

interface OpenMigrator {
  readonly migrator: Migrator
  readonly close: () => Promise<void>
}

/** Whether it dies now, after this statement. */
type Dies = (step: Step) => boolean

/** After this many, and one more. */
function after(survived: number): Dies {
  let count = 0
  return () => (count += 1) > survived
}

async function openMigrator(url: string, dies: Dies = () => false): Promise<OpenMigrator> {
  const place = { ...(await placeOf(url)), where: 'here' }
  const engine = mysqlEngine(mysql, place, processHost)
  const driver = new ServerDriver(engine, processHost, { pulse: 1, work: 1, handlers: 1 })
  const connection = await mysql.createConnection(url)
  const [rows] = await connection.query<(mysql.RowDataPacket & { version: string })[]>(
    'SELECT VERSION() AS version',
  )
  await connection.end()
  const migrator = mysqlMigrator(driver, {
    prefix: place.prefix,
    where: place.where,
    collation: collationOf(rows[0]?.version ?? ''),
    openPool: () => killable(engine.openPool(1, { answerMs: null, transactionMs: 60_000 }), dies),
  })
  return { migrator, close: async () => await driver.close() }
}

function killable(pool: SessionPool, dies: Dies): SessionPool {
  return {
    acquire: async () => {
      const session = await pool.acquire()
      return {
        client: session.client,
        run: async (step) => {
          const answer = await session.run(step)
          if (dies(step)) throw new Error('killed')
          return answer
        },
        query: async (text, params) => await session.query(text, params),
        begin: async (kind) => await session.begin(kind),
        commit: async () => await session.commit(),
        rollback: async () => await session.rollback(),
        release: (broken) => session.release(broken),
      } satisfies Session
    },
    close: async () => await pool.close(),
  }
}

/** Everything that a migration makes, but what is in it. */
async function catalog(door: mysql.Connection): Promise<string[]> {
  const [rows] = await door.query<(mysql.RowDataPacket & { line: string })[]>(
    `SELECT CONCAT_WS(' ', 'column', CONCAT(table_name, '.', column_name), column_type, is_nullable, column_default,
       collation_name, NULLIF(extra, ''), NULLIF(generation_expression, '')) AS line
     FROM information_schema.columns WHERE table_schema = DATABASE()
     UNION ALL
     SELECT CONCAT_WS(' ', 'key', table_name, index_name, seq_in_index, column_name, non_unique, collation)
     FROM information_schema.statistics WHERE table_schema = DATABASE()
     UNION ALL
     SELECT CONCAT_WS(' ', 'check', table_name, check_clause)
     FROM information_schema.check_constraints WHERE constraint_schema = DATABASE()
     UNION ALL
     SELECT CONCAT_WS(' ', 'view', table_name, REPLACE(view_definition, DATABASE(), ''), security_type)
     FROM information_schema.views WHERE table_schema = DATABASE()`,
  )
  return rows.map(({ line }) => line).sort()
}
