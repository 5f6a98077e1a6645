/** Lifelines of MySQL and MariaDB: GET_LOCK. Its locks are a server's own, so that the name says of which one. */
import type { Host } from '../host.ts'
import { keepLifelines, type Lifelines } from '../lifeline.ts'
import type { SqlDriver } from '../sql/runtime/driver.ts'
import { row } from '../sql/runtime/script.ts'
import { pulse } from '../sql/runtime/scripts.ts'
import { tieToServer } from '../sql/runtime/server-lifeline.ts'
import type { LifelineState } from '../store.ts'
import { senderName } from '../store-url.ts'
import { type Client, connectionsTo, type MysqlPackage } from './connection.ts'
import type { MysqlPlace } from './place.ts'

const serverText = `CONCAT(@@hostname, ':', @@port)`
/** Null on another server of a cluster: it knows nothing of the lock, and would call it free. */
const checkText = `SELECT IF(${serverText} = ?, IS_FREE_LOCK(?), NULL) AS free`
const limits = { answerMs: 5_000, transactionMs: null } as const

export function mysqlLifelines(
  mysql: MysqlPackage,
  place: MysqlPlace,
  driver: SqlDriver,
  host: Host,
): Lifelines {
  const check = async (name: string): Promise<LifelineState> => {
    const at = name.indexOf('@')
    const found = await driver.read(() => row(checkText, name.slice(at + 1), name.slice(0, at)), pulse)
    if (found?.free === 1) return 'free'
    return found?.free === 0 ? 'held' : 'unknown'
  }
  const parts = {
    connections: connectionsTo(mysql, place, limits),
    async lock(client: Client) {
      // Random, since all databases of a server share these names.
      const key = `evertick-${senderName(host)}`
      const sql = `SELECT GET_LOCK(?, 0) AS got, ${serverText} AS server`
      const [rows] = await client.query({ sql, values: [key] })
      const [answer] = rows as { readonly server: string }[]
      return `${key}@${answer?.server}`
    },
    host,
  }
  return keepLifelines({ tie: async (onCut) => await tieToServer(parts, onCut), check }, host)
}
