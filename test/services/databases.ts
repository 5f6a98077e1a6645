/** A fresh database for each test file, on a server that is shared. */
import { randomBytes } from 'node:crypto'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { Client } from 'pg'

export interface TestDatabase {
  readonly name: string
  readonly url: string
  /** Also ends the connections that a test has left open. */
  drop(): Promise<void>
}

/** `template` is the name of a database to copy: nobody may be connected to it meanwhile. */
export async function createPostgres(adminUrl: string, template = 'template0'): Promise<TestDatabase> {
  const name = randomName()
  await runPostgres(adminUrl, `CREATE DATABASE ${quoted(name, '"')} TEMPLATE ${quoted(template, '"')}`)
  return {
    name,
    url: databaseUrl(adminUrl, name),
    drop: () => runPostgres(adminUrl, `DROP DATABASE IF EXISTS ${quoted(name, '"')} WITH (FORCE)`),
  }
}

export async function createMysql(adminUrl: string): Promise<TestDatabase> {
  const name = randomName()
  const admin = await createConnection(adminUrl)
  try {
    await admin.query(`CREATE DATABASE ${quoted(name, '`')}`)
  } finally {
    await admin.end()
  }
  return { name, url: databaseUrl(adminUrl, name), drop: () => dropMysql(adminUrl, name) }
}

/** The same server, another database: for example the one that `createPostgres` has made, by way of PgBouncer. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${encodeURIComponent(name)}`
  return url.href
}

async function runPostgres(adminUrl: string, text: string): Promise<void> {
  const admin = new Client({ connectionString: adminUrl })
  await admin.connect()
  try {
    await admin.query(text)
  } finally {
    await admin.end()
  }
}

async function dropMysql(adminUrl: string, name: string): Promise<void> {
  const admin = await createConnection(adminUrl)
  try {
    // A transaction left open holds its tables, and the drop would wait for it for a day.
    const [left] = await admin.query<(RowDataPacket & { id: number })[]>(
      'SELECT id FROM information_schema.processlist WHERE db = ?',
      [name],
    )
    for (const { id } of left) await admin.query(`KILL ${id}`).catch(ignoreGone)
    await admin.query(`DROP DATABASE IF EXISTS ${quoted(name, '`')}`)
  } finally {
    await admin.end()
  }
}

function ignoreGone(error: unknown): void {
  const noSuchThread = error instanceof Error && 'code' in error && error.code === 'ER_NO_SUCH_THREAD'
  if (!noSuchThread) throw error
}

function randomName(): string {
  return `evertick_test_${randomBytes(8).toString('hex')}`
}

function quoted(name: string, quote: string): string {
  return `${quote}${name.replaceAll(quote, quote + quote)}${quote}`
}
