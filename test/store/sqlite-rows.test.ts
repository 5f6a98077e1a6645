/** Rows of SQLite by the names of their columns, whatever becomes of the table while a statement is kept. */
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { type Row, rows } from '../../src/store/sql/runtime/script.ts'
import { SqliteSession } from '../../src/store/sqlite/session.ts'

function opened(): { readonly client: DatabaseSync; readonly read: (text: string) => Row[] } {
  const client = new DatabaseSync(':memory:')
  onTestFinished(() => client.close())
  client.exec(`CREATE TABLE evertick_jobs (id TEXT, name TEXT, runs INTEGER);
    INSERT INTO evertick_jobs VALUES ('a', 'first', 1), ('b', NULL, 2)`)
  const session = new SqliteSession(client)
  return { client, read: (text) => session.run(rows(text)) }
}

/** The same columns in another order: no count gives it away. */
function rebuild(client: DatabaseSync): void {
  client.exec(`CREATE TABLE rebuilt (runs INTEGER, name TEXT, id TEXT);
    INSERT INTO rebuilt SELECT runs, name, id FROM evertick_jobs;
    DROP TABLE evertick_jobs; ALTER TABLE rebuilt RENAME TO evertick_jobs`)
}

const expected = [
  { id: 'a', name: 'first', runs: 1 },
  { id: 'b', name: null, runs: 2 },
]

test.each(['SELECT id, name, runs FROM @jobs ORDER BY id', 'SELECT * FROM @jobs ORDER BY id'])(
  'are named as the table has them now: %s',
  (text) => {
    const { client, read } = opened()
    expect(read(text)).toEqual(expected)
    rebuild(client)
    expect(read(text)).toEqual(expected)
  },
)

test('are named as the statement says, also where it writes', () => {
  const { read } = opened()
  expect(read('SELECT count(id) AS jobs, max(runs) AS most FROM @jobs')).toEqual([{ jobs: 2, most: 2 }])
  expect(read(`UPDATE @jobs SET runs = 3 WHERE id = 'a' RETURNING id, runs`)).toEqual([{ id: 'a', runs: 3 }])
  expect(read(`UPDATE @jobs SET runs = 3 WHERE id = 'x' RETURNING id, runs`)).toEqual([])
})
