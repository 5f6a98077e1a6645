/** Migrations where DDL is transactional: all of them or none. */
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import { createPostgres, type TestDatabase } from '../services/databases.ts'
import { newJob, scriptContext, t0 } from '../store/builders.ts'
import { expectLaterComeBack, migrations, statusAt } from '../store/migrations-by-name.ts'

const url = inject('postgresUrl')

describe.skipIf(url === null)('migrations of PostgreSQL', () => {
  let database: TestDatabase
  let door: pg.Client
  beforeEach(async () => {
    database = await createPostgres(url ?? '')
    door = new pg.Client({ connectionString: database.url })
    await door.connect()
  })
  afterEach(async () => {
    await door.end()
    await database.drop()
  })

  test('up, down and up again make the same catalog, and down leaves nothing but the schema', async () => {
    const { migrator, store } = await openStore(database.url, scriptContext())
    expect(await migrator.up(t0)).toEqual(migrations)
    const first = await catalog(door)
    expect(await migrator.status()).toEqual(statusAt(t0))
    expect(await migrator.up(t0)).toEqual([])
    expect(await migrator.down()).toEqual(migrations.toReversed())
    expect(await catalog(door)).toEqual([])
    expect(await migrator.down()).toEqual([])
    expect(await migrator.up(t0)).toEqual(migrations)
    expect(await catalog(door)).toEqual(first)
    await store.close()
  })

  test('what came later comes to a database with jobs, a ledger and running work in it, which all stay', async () => {
    const opened = await openStore(database.url, scriptContext())
    await expectLaterComeBack(opened)
    await opened.store.close()
  })

  test('of five at once, one migrates and the others find it done', async () => {
    const five = await Promise.all(
      Array.from({ length: 5 }, async () => await openStore(database.url, scriptContext())),
    )
    const applied = await Promise.all(five.map(async ({ migrator }) => await migrator.up(t0)))
    expect(applied.flat()).toEqual(migrations)
    for (const { store } of five) await store.close()
  })

  test('a table that is not ours is refused by name, and nothing is changed', async () => {
    await door.query('CREATE SCHEMA evertick')
    await door.query('CREATE TABLE evertick.queues (id INTEGER)')
    const before = await catalog(door)
    const { migrator, store } = await openStore(database.url, scriptContext())
    const refusal = migrator.up(t0)
    await expect(refusal).rejects.toMatchObject({ code: 'migration_failed' })
    await expect(refusal).rejects.toThrow('"evertick.queues"')
    expect(await catalog(door)).toEqual(before)
    await migrator.down()
    expect(await catalog(door)).toEqual(before)
    await store.close()
  })

  test('a newer schema is refused', async () => {
    const { migrator, store } = await openStore(database.url, scriptContext())
    await migrator.up(t0)
    await door.query(`INSERT INTO evertick.migrations VALUES (9999, '9999_later', 'x', 0)`)
    for (const refused of [migrator.up(t0), migrator.plan()]) {
      await expect(refused).rejects.toMatchObject({ code: 'schema_newer' })
    }
    await store.close()
  })

  test('in a schema of its own', async () => {
    const { store, migrator } = await openStore(`${database.url}?schema=scheduling`, scriptContext())
    await migrator.up(t0)
    const own = await catalog(door, 'scheduling')
    expect(own.length).toBeGreaterThan(100)
    expect(await catalog(door)).toEqual([])
    await store.jobs.createJob(newJob('a'))
    expect(await store.jobs.findJob('a')).not.toBeNull()
    const usual = await openStore(database.url, scriptContext())
    await usual.migrator.up(t0)
    expect(await usual.store.jobs.findJob('a')).toBeNull()
    expect(await catalog(door)).toEqual(own)
    await usual.migrator.down()
    expect(await catalog(door, 'scheduling')).toEqual(own)
    await usual.store.close()
    await store.close()
  })
})

/** Everything that a migration makes, but what is in it. */
async function catalog(door: pg.Client, schema = 'evertick'): Promise<string[]> {
  const { rows } = await door.query<{ line: string }>(
    `SELECT concat_ws(' ', 'column', table_name, column_name, data_type, is_nullable, column_default, is_identity,
       collation_name) AS line
     FROM information_schema.columns WHERE table_schema = $1
     UNION ALL
     SELECT concat_ws(' ', 'key', indexdef) FROM pg_indexes WHERE schemaname = $1
     UNION ALL
     SELECT concat_ws(' ', 'constraint', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint
     WHERE connamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
     UNION ALL
     SELECT concat_ws(' ', 'options', relname, array_to_string(reloptions, ',')) FROM pg_class
     WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND reloptions IS NOT NULL
     UNION ALL
     SELECT concat_ws(' ', 'view', viewname, definition) FROM pg_views WHERE schemaname = $1`,
    [schema],
  )
  return rows.map(({ line }) => line.replaceAll(`${schema}.`, '')).sort()
}
