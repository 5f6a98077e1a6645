import { afterAll, beforeAll, inject } from 'vitest'
import { describeStore } from '../store/conformance.ts'
import { type PostgresFile, postgresFile } from '../store/postgres-store.ts'

const [url, pooler] = [inject('postgresUrl'), inject('pgbouncerUrl')]
const missing = url === null || pooler === null
let file: PostgresFile
beforeAll(async () => {
  if (!missing) file = await postgresFile(url, pooler)
})
afterAll(async () => await file?.close())

describeStore('postgres, through PgBouncer in transaction mode', async () => await file.open(), {
  skip: missing,
})
