import { inject } from 'vitest'
import { describeExplorer } from '../explorer/describe-explorer.ts'
import { postgresServer } from '../explorer/server.ts'
import { postgresFile } from '../store/postgres-store.ts'

const url = inject('postgresUrl')

describeExplorer(
  'postgres',
  async () => {
    const file = await postgresFile(url ?? '')
    return { file, server: await postgresServer(file.url, await file.parts()) }
  },
  { skip: url === null },
)
