import { processHost } from '../../src/store/host.ts'
import { SqliteDriver } from '../../src/store/sqlite/driver.ts'
import { sqliteMigrator } from '../../src/store/sqlite/migrator.ts'
import { placeOf } from '../../src/store/sqlite/place.ts'
import { type DriverUnderTest, describeAloneSteps } from './alone-steps.ts'
import { t0 } from './builders.ts'
import { temporaryFolder } from './sqlite-store.ts'

async function open(url: string): Promise<DriverUnderTest> {
  const place = placeOf(url)
  const driver = new SqliteDriver(place, processHost)
  await sqliteMigrator(driver.session, place).up(t0)
  return { driver, close: () => driver.close() }
}

describeAloneSteps('sqlite, in memory', async () => await open('sqlite::memory:'))
describeAloneSteps('sqlite, in a file', async () => {
  const folder = temporaryFolder()
  const { driver, close } = await open(`sqlite:${folder.path}/evertick.db`)
  return { driver, close: async () => await close().finally(() => folder.remove()) }
})
