/**
 * The layout of PostgreSQL on SQLite: unfinished and finished executions in a table each, and a view of both. What the server
 * does is simulated so: the scripts that move a row at its end are the same.
 */
import { DatabaseSync } from 'node:sqlite'

const one = 'evertick_job_executions'
const live = 'evertick_live_executions'
const finished = 'evertick_finished_executions'

/** On a database that has Evertick's schema, and no executions yet. */
export function splitExecutions(path: string): void {
  const client = new DatabaseSync(path)
  const made = client
    .prepare('SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY rootpage')
    .all(one)
    .map(({ sql }) => String(sql))
  const views = client
    .prepare(`SELECT name, sql FROM sqlite_master WHERE type = 'view'`)
    .all()
    .map(({ name, sql }) => ({ name: String(name), sql: String(sql) }))
  const text = [
    ...views.map(({ name }) => `DROP VIEW ${name}`),
    `DROP TABLE ${one}`,
    ...made.map((sql) => numbered(sql.replaceAll(one, live))),
    ...made.map((sql) => sql.replaceAll(one, finished)),
    `CREATE VIEW ${one} AS SELECT * FROM ${live} UNION ALL SELECT * FROM ${finished}`,
    ...views.map(({ sql }) => sql),
  ]
  client.exec(`${text.join(';\n')};`)
  client.close()
}

/** A number that was given is never given again, though its row has gone to the other table. */
function numbered(sql: string): string {
  return sql.replace(/seq INTEGER PRIMARY KEY(?! AUTOINCREMENT)/, 'seq INTEGER PRIMARY KEY AUTOINCREMENT')
}
