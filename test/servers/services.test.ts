import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { Client } from 'pg'
import { createClient } from 'redis'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { isInstalled } from '../services/binaries.ts'
import { createMysql, createPostgres, databaseUrl, type TestDatabase } from '../services/databases.ts'
import { startMariadb } from '../services/mariadb.ts'
import { startPgbouncer } from '../services/pgbouncer.ts'
import { startPostgres } from '../services/postgres.ts'
import { startRedis } from '../services/redis.ts'
import type { Server } from '../services/server.ts'

const postgresUrl = inject('postgresUrl')
const pgbouncerUrl = inject('pgbouncerUrl')
const mysqlUrl = inject('mysqlUrl')
const redisUrl = inject('redisUrl')
/** Making a data folder takes seconds, and more of them while other tests run. */
const timeout = 90_000

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

it('finds, installs or is given every service', () => {
  const missing = inject('missingServices')
  if (missing.length > 0) throw new Error(['What needs these did not run.', ...missing].join('\n'))
  expect([postgresUrl, pgbouncerUrl, mysqlUrl, redisUrl]).not.toContain(null)
})

describe.skipIf(postgresUrl === null)('PostgreSQL', () => {
  it('gives each test a database that sees no other', async () => {
    const [one, other] = [await postgres(), await postgres()]
    await queryPostgres(one.url, "CREATE TABLE kept AS SELECT 'one' AS who")
    await queryPostgres(other.url, "CREATE TABLE kept AS SELECT 'other' AS who")
    expect(await queryPostgres(one.url, 'SELECT who FROM kept')).toEqual([{ who: 'one' }])
    expect(await queryPostgres(other.url, 'SELECT who FROM kept')).toEqual([{ who: 'other' }])
  })

  it('copies a template, and drops a database that is still in use', async () => {
    const template = await postgres()
    await queryPostgres(template.url, "CREATE TABLE kept AS SELECT 'template' AS who")
    const copy = await postgres(template.name)
    const left = new Client({ connectionString: copy.url })
    left.on('error', () => {})
    await left.connect()
    expect((await left.query('SELECT who FROM kept')).rows).toEqual([{ who: 'template' }])
    await copy.drop()
    await expect(queryPostgres(copy.url, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' })
  })

  it.skipIf(pgbouncerUrl === null)('is behind PgBouncer, which pools by the transaction', async () => {
    const { name, url } = await postgres()
    const pooled = databaseUrl(pgbouncerUrl ?? '', name)
    await queryPostgres(pooled, "CREATE TABLE kept AS SELECT 'pooled' AS who")
    expect(await queryPostgres(url, 'SELECT who FROM kept')).toEqual([{ who: 'pooled' }])
    const pools = await queryPostgres(databaseUrl(pooled, 'pgbouncer'), 'SHOW POOLS')
    expect(pools).toContainEqual(expect.objectContaining({ database: name, pool_mode: 'transaction' }))
  })
})

describe.skipIf(mysqlUrl === null)('MariaDB', () => {
  it('gives each test a database that sees no other', async () => {
    const [one, other] = [await mysql(), await mysql()]
    await queryMysql(one.url, "CREATE TABLE kept AS SELECT 'one' AS who")
    await queryMysql(other.url, "CREATE TABLE kept AS SELECT 'other' AS who")
    expect(await queryMysql(one.url, 'SELECT who FROM kept')).toEqual([{ who: 'one' }])
    expect(await queryMysql(other.url, 'SELECT who FROM kept')).toEqual([{ who: 'other' }])
  })

  it('drops a database that is still in use', async () => {
    const database = await mysql()
    await queryMysql(database.url, "CREATE TABLE kept AS SELECT 'one' AS who")
    const left = await createConnection(database.url)
    left.on('error', () => {})
    await left.query('START TRANSACTION')
    await left.query('SELECT * FROM kept FOR UPDATE')
    await database.drop()
    await expect(queryMysql(database.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ER_BAD_DB_ERROR' })
  })
})

describe.skipIf(redisUrl === null)('Redis', () => {
  it('answers', async () => {
    expect(await withRedis(redisUrl ?? '', (client) => client.ping())).toBe('PONG')
  })
})

describe('a server that has crashed comes back on its port, with its data', () => {
  it.skipIf(!isInstalled('postgres'))('PostgreSQL', { timeout }, async () => {
    const server = await owned(startPostgres())
    await queryPostgres(server.url, "CREATE TABLE kept AS SELECT 'here' AS who")
    await crashAndStart(server, () => queryPostgres(server.url, 'SELECT 1'))
    expect(await queryPostgres(server.url, 'SELECT who FROM kept')).toEqual([{ who: 'here' }])
    await stopAndStart(server)
    expect(await queryPostgres(server.url, 'SELECT who FROM kept')).toEqual([{ who: 'here' }])
  })

  it.skipIf(postgresUrl === null || !isInstalled('pgbouncer'))('PgBouncer', { timeout }, async () => {
    const server = await owned(startPgbouncer(postgresUrl ?? ''))
    await crashAndStart(server, () => queryPostgres(server.url, 'SELECT 1'))
    expect(await queryPostgres(server.url, "SELECT 'here' AS who")).toEqual([{ who: 'here' }])
    await stopAndStart(server)
  })

  it.skipIf(!isInstalled('mysql'))('MariaDB', { timeout }, async () => {
    const server = await owned(startMariadb())
    await queryMysql(server.url, "CREATE TABLE kept AS SELECT 'here' AS who")
    await crashAndStart(server, () => queryMysql(server.url, 'SELECT 1'))
    expect(await queryMysql(server.url, 'SELECT who FROM kept')).toEqual([{ who: 'here' }])
    await stopAndStart(server)
    expect(await queryMysql(server.url, 'SELECT who FROM kept')).toEqual([{ who: 'here' }])
  })

  it.skipIf(!isInstalled('redis'))('Redis', { timeout }, async () => {
    const server = await owned(startRedis())
    await withRedis(server.url, (client) => client.set('kept', 'here'))
    await crashAndStart(server, () => withRedis(server.url, (client) => client.ping()))
    expect(await withRedis(server.url, (client) => client.get('kept'))).toBe('here')
    await stopAndStart(server)
    expect(await withRedis(server.url, (client) => client.get('kept'))).toBe('here')
  })
})

async function crashAndStart(server: Server, ask: () => Promise<unknown>): Promise<void> {
  const { url, pid } = server
  await server.crash()
  expect(server.pid).toBe(0)
  await expect(ask()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  await server.start()
  expect(server.url).toBe(url)
  expect(server.pid).not.toBe(pid)
}

async function stopAndStart(server: Server): Promise<void> {
  await server.stop()
  expect(server.pid).toBe(0)
  await server.start()
}

async function owned(starting: Promise<Server>): Promise<Server> {
  const server = await starting
  ends.push(() => server.remove())
  return server
}

async function postgres(template?: string): Promise<TestDatabase> {
  const database = await createPostgres(postgresUrl ?? '', template)
  ends.push(() => database.drop())
  return database
}

async function mysql(): Promise<TestDatabase> {
  const database = await createMysql(mysqlUrl ?? '')
  ends.push(() => database.drop())
  return database
}

async function queryPostgres(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

async function queryMysql(url: string, text: string): Promise<unknown> {
  const connection = await createConnection(url)
  try {
    return (await connection.query<RowDataPacket[]>(text))[0]
  } finally {
    await connection.end()
  }
}

async function withRedis<T>(url: string, ask: (client: RedisClient) => Promise<T>): Promise<T> {
  const client = redisClient(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return await ask(client)
  } finally {
    client.destroy()
  }
}

type RedisClient = ReturnType<typeof redisClient>

function redisClient(url: string) {
  return createClient({ url, socket: { reconnectStrategy: false } })
}
