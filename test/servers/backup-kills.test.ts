import { afterAll, afterEach, describe, inject } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import { describeBackupKills } from '../process/backup-kills.ts'
import { endChildren } from '../process/child.ts'
import { createMysql, createPostgres, type TestDatabase } from '../services/databases.ts'
import { scriptContext, t0 } from '../store/builders.ts'

const made: TestDatabase[] = []
afterEach(async () => await endChildren())
afterAll(async () => {
  for (const database of made) await database.drop()
})

const engines = [
  { name: 'postgres', url: inject('postgresUrl'), create: createPostgres },
  { name: 'mysql', url: inject('mysqlUrl'), create: createMysql },
]

for (const { name, url, create } of engines) {
  describe.skipIf(url === null)('backups that are killed', () => {
    describeBackupKills(name, async () => {
      const database = await create(url ?? '')
      made.push(database)
      // Its processes open it as an operator has prepared it.
      await migrated(database.url)
      return database.url
    })
  })
}

async function migrated(url: string): Promise<void> {
  const { store, migrator } = await openStore(url, scriptContext())
  await migrator.up(t0)
  await store.close()
}
