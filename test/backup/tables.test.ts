/** A backup has every table and column of the schema, or says why not. */
import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { loadMigrations } from '../../src/store/migrate.ts'
import { backedUpTables, leftOutTables, schemaTables } from '../../src/store/sql/backup/tables.ts'
import { logicalSchemaOfSqlite } from '../store/logical-schema.ts'

const migrations = new URL('../../src/store/migrations/', import.meta.url)

function schema() {
  const db = new DatabaseSync(':memory:')
  for (const { up } of loadMigrations('sqlite')) db.exec(up)
  return logicalSchemaOfSqlite(db).tables
}

const typeOf = {
  text: 'text',
  uuid: 'text',
  number: 'integer',
  real: 'real',
  timestamp: 'timestamp',
  flag: 'boolean',
}

test('each table is in every backup, or in the list of those left out with its reason', () => {
  const listed = [...backedUpTables.map(({ name }) => name), ...Object.keys(leftOutTables)]
  const known = Object.keys(schema()).filter((name) => !schemaTables.some((own) => own === name))
  expect(listed.toSorted()).toEqual(known.toSorted())
})

test.each(backedUpTables)('$name is backed up with each of its columns, by a key that is unique', (table) => {
  const { columns, primaryKey, uniqueKeys } = schema()[table.name] ?? {
    columns: [],
    primaryKey: [],
    uniqueKeys: [],
  }
  const written = Object.entries(table.columns).map(([name, type]) => ({ name, type: typeOf[type] }))
  const kept = columns.filter(({ name }) => !(table.without ?? []).includes(name))
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
  expect(written.toSorted(byName)).toEqual(kept.map(({ name, type }) => ({ name, type })).toSorted(byName))
  expect([primaryKey, ...uniqueKeys.map((key) => key.columns)]).toContainEqual(table.key)
})

test('an id that PostgreSQL has a type for is written as one', () => {
  const files = readdirSync(migrations).map((name) =>
    readFileSync(new URL(`${name}/postgres.up.sql`, migrations), 'utf8'),
  )
  const found = new Set<string>()
  for (const [, name = '', body = ''] of files
    .join('\n')
    .matchAll(/^CREATE TABLE evertick\.(\w+) \(([\s\S]*?)^\)/gm)) {
    const table = name.replace(/^(live|finished)_executions$/, 'job_executions')
    for (const [, column] of body.matchAll(/^ {2}(\w+) UUID/gm)) found.add(`${table}.${column}`)
  }
  const written = backedUpTables.flatMap(({ name, columns }) =>
    Object.keys(columns)
      .filter((column) => columns[column] === 'uuid')
      .map((column) => `${name}.${column}`),
  )
  const backedUp = [...found].filter((column) =>
    backedUpTables.some(({ name }) => column.startsWith(`${name}.`)),
  )
  expect(written.toSorted()).toEqual(backedUp.toSorted())
})
