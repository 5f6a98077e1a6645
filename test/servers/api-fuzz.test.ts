/** The same requests as on SQLite: a server refuses letters and numbers that SQLite takes. */
import { inject } from 'vitest'
import { openApi } from '../http/api-under-test.ts'
import { describeFuzz } from '../http/fuzz/describe-fuzz.ts'
import { createMysql, createPostgres } from '../services/databases.ts'

const servers = [
  { name: 'postgres', url: inject('postgresUrl'), create: createPostgres },
  { name: 'mysql', url: inject('mysqlUrl'), create: createMysql },
]
const size = Number(process.env['EVERTICK_FUZZ_REQUESTS'] ?? 2_000) / 4

for (const { name, url, create } of servers) {
  if (url === null) continue
  describeFuzz(name, size, async () => {
    const database = await create(url)
    const api = await openApi({ database: database.url, migrate: true })
    return {
      api,
      async close() {
        await api.node.stop()
        await database.drop()
      },
    }
  })
}
