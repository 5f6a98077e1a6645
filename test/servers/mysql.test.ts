import { afterAll, beforeAll, inject } from 'vitest'
import { describeStore } from '../store/conformance.ts'
import { type MysqlFile, mysqlFile } from '../store/mysql-store.ts'
import { describeServerFacts } from './server-facts.ts'

const url = inject('mysqlUrl')
let file: MysqlFile
beforeAll(async () => {
  if (url !== null) file = await mysqlFile(url)
})
afterAll(async () => await file?.close())

describeStore('mysql', async () => await file.open(), { skip: url === null })
describeServerFacts(async () => await file.open(), url === null)
