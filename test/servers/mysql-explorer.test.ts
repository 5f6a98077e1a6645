import { inject } from 'vitest'
import { describeExplorer } from '../explorer/describe-explorer.ts'
import { mysqlServer } from '../explorer/server.ts'
import { mysqlFile } from '../store/mysql-store.ts'

const url = inject('mysqlUrl')

describeExplorer(
  'mysql',
  async () => {
    const file = await mysqlFile(url ?? '')
    return { file, server: await mysqlServer(file.url, await file.parts()) }
  },
  { skip: url === null },
)
