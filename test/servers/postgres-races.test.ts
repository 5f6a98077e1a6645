import { afterAll, beforeAll, inject } from 'vitest'
import { type PostgresFile, postgresFile } from '../store/postgres-store.ts'
import { describeRaces } from '../store/races/races.ts'

const url = inject('postgresUrl')
let file: PostgresFile
beforeAll(async () => {
  if (url !== null) file = await postgresFile(url)
})
afterAll(async () => await file?.close())

describeRaces('postgres', () => file, { skip: url === null })
