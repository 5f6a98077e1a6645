/** kill -9 at each step of a fold, on the servers. */
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { testFoldsKilled } from '../rig/folds-killed.ts'
import { type MysqlFile, mysqlFile } from '../store/mysql-store.ts'
import { type PostgresFile, postgresFile } from '../store/postgres-store.ts'

const postgresUrl = inject('postgresUrl')
const mysqlUrl = inject('mysqlUrl')
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

describe.skipIf(postgresUrl === null)('a process dies at each step of a fold on PostgreSQL', () => {
  testFoldsKilled(
    'postgres',
    () => postgres.open(),
    () => postgres.url,
  )
})

describe.skipIf(mysqlUrl === null)('a process dies at each step of a fold on MariaDB', () => {
  testFoldsKilled(
    'mysql',
    () => mysql.open(),
    () => mysql.url,
  )
})
