/** What the doctor learns of a database server: whether it keeps a commit, how many connections it has, who may do what. */
import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { Evertick } from '../../src/index.ts'
import { jsonOf, runCli, testFolder } from '../cli/run-cli.ts'
import { quiet } from '../promises/support.ts'
import { createMysql, createPostgres, type TestDatabase } from '../services/databases.ts'
import { freePort } from '../services/free-port.ts'

interface Doctor {
  readonly checks: readonly { readonly name: string; readonly status: string; readonly message: string }[]
}

const lines = ['hints', 'durability', 'connections', 'rights', 'failover']

async function prepared(database: TestDatabase) {
  onTestFinished(() => database.drop())
  // More than the server has, for one node.
  const cwd = testFolder({ 'evertick.config.mjs': 'export default { pool: { max: 1000 } }' })
  const at = { cwd, env: { EVERTICK_DATABASE_URL: database.url } }
  await runCli(['migrate', 'up'], at)
  return async (name: string, env: Record<string, string> = {}) => {
    const { checks } = await jsonOf<Doctor>(['doctor'], { cwd, env: { ...at.env, ...env } })
    expect(checks.map((check) => check.name)).toEqual(expect.arrayContaining(lines))
    const { status, message } = checks.find((check) => check.name === name) ?? { status: '', message: '' }
    return `${status}: ${message}`
  }
}

async function startNode(database: string): Promise<void> {
  const evertick = await Evertick.open({ database, logger: quiet })
  onTestFinished(() => evertick.stop({ timeout: 0 }))
  await evertick.start()
}

const postgresUrl = inject('postgresUrl')
test.skipIf(postgresUrl === null)('the doctor of PostgreSQL', async () => {
  const database = await createPostgres(postgresUrl ?? '')
  const say = await prepared(database)
  expect(await say('rights')).toMatch(/^warn: This user .*owns the tables\.$/)
  expect(await say('failover')).toBe('ok: No node is running.')
  const redis = `redis://:canary@127.0.0.1:${await freePort()}`
  const said = await say('hints', { EVERTICK_REDIS_URL: redis })
  expect(said).toMatch(/^warn: Redis does not answer at redis:/)
  expect(said).not.toContain('canary')
  expect(await say('connections')).toMatch(/^ok: \d+ of \d+ connections are open\.$/)
  await startNode(database.url)
  expect(await say('failover')).toBe('warn: Only one node may lead; while it is away, nothing is scheduled.')
  expect(await say('connections')).toMatch(/^warn: .* 1 node may open 1002\.$/)
  const client = new Client({ connectionString: database.url })
  await client.connect()
  await startNode(database.url)
  expect(await say('failover')).toBe('warn: All nodes that may lead are on one host.')
  await client.query('UPDATE evertick.nodes SET host = id')
  expect(await say('failover')).toBe('ok: 2 nodes on 2 hosts may lead.')
  await client.query(`ALTER DATABASE ${database.name} SET synchronous_commit = off`)
  await client.end()
  expect(await say('durability')).toMatch(/^warn: .*synchronous_commit = off/)
})

const mysqlUrl = inject('mysqlUrl')
test.skipIf(mysqlUrl === null)('the doctor of MariaDB', async () => {
  const database = await createMysql(mysqlUrl ?? '')
  const say = await prepared(database)
  expect(await say('rights')).toMatch(/^warn: This user .*may drop the tables\.$/)
  await startNode(database.url)
  expect(await say('failover')).toBe('warn: Only one node may lead; while it is away, nothing is scheduled.')
  expect(await say('connections')).toMatch(/^warn: .* 1 node may open 1002\.$/)
  const connection = await createConnection(database.url)
  const [[row]] = (await connection.query(
    'SELECT @@innodb_flush_log_at_trx_commit AS flushes',
  )) as unknown as [[{ flushes: number }]]
  await connection.end()
  expect(await say('durability')).toMatch(
    row.flushes === 1 ? /^ok: / : /^warn: .*innodb_flush_log_at_trx_commit/,
  )
})
