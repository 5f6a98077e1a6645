/** What a store on MySQL is made of, for a test that puts something of its own between. */
import * as mysql from 'mysql2/promise'
import { processHost } from '../../src/store/host.ts'
import { mysqlEngine } from '../../src/store/mysql/driver.ts'
import { hotScripts } from '../../src/store/mysql/hot.ts'
import { placeOf } from '../../src/store/mysql/place.ts'
import type { ServerParts } from './races/gate.ts'

export async function mysqlParts(url: string): Promise<ServerParts> {
  const place = { ...(await placeOf(url)), where: 'gated' }
  return { engine: mysqlEngine(mysql, place, processHost), hot: hotScripts, dialect: 'mysql' }
}
