import { afterAll, beforeAll, inject } from 'vitest'
import { type PostgresFile, postgresFile } from '../store/postgres-store.ts'
import { describeSameHistory } from '../store/same-history.ts'

const url = inject('postgresUrl')
let file: PostgresFile
beforeAll(async () => {
  if (url !== null) file = await postgresFile(url)
})
afterAll(async () => await file?.close())

describeSameHistory('postgres', async () => await file.open(), { skip: url === null })
