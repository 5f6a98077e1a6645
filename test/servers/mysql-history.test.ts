import { afterAll, beforeAll, inject } from 'vitest'
import { type MysqlFile, mysqlFile } from '../store/mysql-store.ts'
import { describeSameHistory } from '../store/same-history.ts'

const url = inject('mysqlUrl')
let file: MysqlFile
beforeAll(async () => {
  if (url !== null) file = await mysqlFile(url)
})
afterAll(async () => await file?.close())

describeSameHistory('mysql', async () => await file.open(), { skip: url === null })
