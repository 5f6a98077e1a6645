import { afterAll, beforeAll, inject } from 'vitest'
import { type MysqlFile, mysqlFile } from '../store/mysql-store.ts'
import { describeRaces } from '../store/races/races.ts'

const url = inject('mysqlUrl')
let file: MysqlFile
beforeAll(async () => {
  if (url !== null) file = await mysqlFile(url)
})
afterAll(async () => await file?.close())

describeRaces('mysql', () => file, { skip: url === null })
