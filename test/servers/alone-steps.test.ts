import { afterAll, beforeAll, inject } from 'vitest'
import { processHost } from '../../src/store/host.ts'
import { ServerDriver } from '../../src/store/sql/runtime/server-driver.ts'
import { type DriverUnderTest, describeAloneSteps } from '../store/alone-steps.ts'
import { type MysqlFile, mysqlFile } from '../store/mysql-store.ts'
import { type PostgresFile, postgresFile } from '../store/postgres-store.ts'
import type { ServerUnderTest } from '../store/races/race.ts'

const { postgresUrl, mysqlUrl } = { postgresUrl: inject('postgresUrl'), mysqlUrl: inject('mysqlUrl') }
let postgres: PostgresFile
let mysql: MysqlFile
beforeAll(async () => {
  if (postgresUrl !== null) postgres = await postgresFile(postgresUrl)
  if (mysqlUrl !== null) mysql = await mysqlFile(mysqlUrl)
})
afterAll(async () => {
  await postgres?.close()
  await mysql?.close()
})

async function open(server: ServerUnderTest): Promise<DriverUnderTest> {
  // Empties the database.
  const opened = await server.open()
  const { engine } = await server.parts()
  const driver = new ServerDriver(engine, processHost, { pulse: 1, work: 2, handlers: 1 })
  return {
    driver,
    async close() {
      await driver.close()
      await opened.close()
    },
  }
}

describeAloneSteps('postgres', async () => await open(postgres), { skip: postgresUrl === null })
describeAloneSteps('mysql', async () => await open(mysql), { skip: mysqlUrl === null })
