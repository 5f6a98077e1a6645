/** A PostgreSQL database as a store. */
import { type CarrierEvents, carryHints, messageOf } from '../carried-hints.ts'
import { type Hints, type HintTopic, noHints } from '../hints.ts'
import type { Host } from '../host.ts'
import type { OpenedStore, StoreSurroundings } from '../open-store.ts'
import type { ServerDriver } from '../sql/runtime/server-driver.ts'
import { classified } from '../sql/runtime/server-session.ts'
import { createSqlStore } from '../sql/sql-store.ts'
import { poolSizes, senderName } from '../store-url.ts'
import { isPooled, loadPostgres, type PostgresPackage } from './connection.ts'
import { meaningOf } from './dialect.ts'
import { PostgresDriver } from './driver.ts'
import { type ListenPlace, NotifyCarrier, notifyStep } from './hints.ts'
import { hotScripts } from './hot.ts'
import { postgresLifelines } from './lifeline.ts'
import { postgresMigrator } from './migrator.ts'
import { placeOf } from './place.ts'

export async function openPostgres(
  url: string,
  { context, host, pool, byRedis, openHints }: StoreSurroundings,
): Promise<OpenedStore> {
  const pg = await loadPostgres()
  const place = placeOf(url)
  const { schema, where } = place
  try {
    const pooled = await isPooled(pg, place.url, host)
    const sizes = { ...poolSizes(pool.max), transactionMs: pool.transactionMs }
    const driver = new PostgresDriver(pg, { ...place, pooled }, sizes, host)
    const sender = senderName(host)
    // Under another name: this process does not know when its caller commits, so it listens to that as well.
    const notify = (topic: HintTopic) => notifyStep(schema, messageOf([topic], `${sender}-tx`))
    const direct = pool.direct ?? (pooled ? null : place.url)
    const own = async () =>
      direct === null ? noHints : await listenTo(pg, { url: direct, channel: schema }, driver, host, sender)
    const hints = await openHints(own, { where, sender })
    const server = direct === null ? null : { ...place, url: direct, pooled: false }
    return {
      store: createSqlStore('postgres', driver, hotScripts(), context, {
        hints,
        within: byRedis || direct === null ? null : notify,
        lifelines: postgresLifelines(pg, server, driver, host),
      }),
      migrator: postgresMigrator(driver, place),
    }
  } catch (error) {
    throw classified(error, { where, meaningOf })
  }
}

async function listenTo(
  pg: PostgresPackage,
  place: ListenPlace,
  driver: ServerDriver,
  host: Host,
  sender: string,
): Promise<Hints> {
  const connect = async (events: CarrierEvents) => {
    const carrier = new NotifyCarrier(pg, place, { driver, host }, events)
    await carrier.connect()
    return carrier
  }
  return await carryHints(connect, sender, host)
}
