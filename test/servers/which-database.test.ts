/** Which database a command line works on, where only the variables of a server name one. */
import { readdirSync } from 'node:fs'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { expect, inject, onTestFinished, test } from 'vitest'
import { containing, runCli, startCli, testFolder } from '../cli/run-cli.ts'
import { createMysql, createPostgres } from '../services/databases.ts'
import { mysqlEnvironment } from './seeds/processing/bench.ts'

const mysqlUrl = inject('mysqlUrl')
const postgresUrl = inject('postgresUrl')
const config = {
  'evertick.config.mjs':
    "import { defineJob } from 'evertick'\nexport default { jobs: [defineJob({ name: 'idle', run: () => {} })] }",
}

test.skipIf(mysqlUrl === null)('MYSQL_DB_* alone name the database of every command', async () => {
  const database = await createMysql(mysqlUrl ?? '')
  onTestFinished(() => database.drop())
  const cwd = testFolder(config)
  const env = mysqlEnvironment(database.url)
  const named = `${env['MYSQL_DB_HOST']}:${env['MYSQL_DB_PORT']}/${database.name} (from MYSQL_DB_NAME)`
  const up = await runCli(['migrate', 'up'], { cwd, env })
  expect(up).toMatchObject({ code: 0, stderr: containing(named) })
  expect(up.stderr).not.toContain(`:${env['MYSQL_DB_PASSWORD']}@`)
  expect(await tablesOf(database.url)).toContain('evertick_jobs')
  expect((await runCli(['doctor'], { cwd, env })).stdout).toContain(`${named} answers.`)
  const node = startCli(['start'], { cwd, env })
  await node.says(named)
  await node.says('leads, term 1')
  node.signal('SIGTERM')
  await node.ended
  expect(readdirSync(cwd)).toEqual(Object.keys(config))
})

test.skipIf(postgresUrl === null)(
  'without a secret on a server start says that the API is off and how to turn it on; asked for the API it refuses',
  async () => {
    const database = await createPostgres(postgresUrl ?? '')
    onTestFinished(() => database.drop())
    const at = { cwd: testFolder(config), env: { EVERTICK_DATABASE_URL: database.url, EVERTICK_PORT: '0' } }
    await runCli(['migrate', 'up'], at)
    const untold = startCli(['start'], at)
    await untold.says(/^ +api +off: .*EVERTICK_JWT_SECRET/m)
    await untold.says('as scheduler and worker')
    const told = startCli(['start', '--role', 'worker'], at)
    await told.says('as worker')
    expect(told.stdout).not.toContain('EVERTICK_JWT_SECRET')
    const asked = await runCli(['start', '--role', 'api'], at)
    expect(asked).toMatchObject({ code: 2, stderr: containing('EVERTICK_JWT_SECRET') })
    const env = { ...at.env, EVERTICK_JWT_SECRET: 'k3yP-0123456789-abcdefghijklmnopqrstuvwxyz' }
    const open = startCli(['start'], { ...at, env })
    await open.says('as scheduler, worker and api')
    expect(open.stdout).not.toContain('off:')
  },
)

async function tablesOf(url: string): Promise<string[]> {
  const connection = await createConnection(url)
  try {
    const [rows] = await connection.query<RowDataPacket[]>('SHOW TABLES')
    return rows.flatMap((row) => Object.values(row).map(String))
  } finally {
    await connection.end()
  }
}
