import { afterAll, beforeAll, inject } from 'vitest'
import { describeStore } from '../store/conformance.ts'
import { type PostgresFile, postgresFile } from '../store/postgres-store.ts'
import { describeServerFacts } from './server-facts.ts'

const url = inject('postgresUrl')
let file: PostgresFile
beforeAll(async () => {
  if (url !== null) file = await postgresFile(url)
})
afterAll(async () => await file?.close())

describeStore('postgres', async () => await file.open(), { skip: url === null })
describeServerFacts(async () => await file.open(), url === null)
