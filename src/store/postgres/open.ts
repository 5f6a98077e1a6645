/** A PostgreSQL database as a store. */
import { EvertickError } from '../../core/error.ts'
import { type CarrierEvents, carryHints, messageOf } from '../carried-hints.ts'
import { type Hints, type HintTopic, noHints } from '../hints.ts'
import type { Host } from '../host.ts'
import type { OpenedStore, StoreSurroundings } from '../open-store.ts'
import type { ServerDriver } from '../sql/runtime/server-driver.ts'
import { classified } from '../sql/runtime/server-session.ts'
import { createSqlStore } from '../sql/sql-store.ts'
import { parseServerUrl, poolSizes, senderName, withoutSecrets } from '../store-url.ts'
import { isPooled, loadPg, type PostgresDriver } from './connection.ts'
import { meaningOf } from './dialect.ts'
import { openDriver } from './driver.ts'
import { type ListenPlace, NotifyCarrier, notifyStep } from './hints.ts'
import { hotScripts } from './hot.ts'
import { PostgresMigrator } from './migrator.ts'

export async function openPostgres(
  url: string,
  { context, host, pool, byRedis, openHints }: StoreSurroundings,
): Promise<OpenedStore> {
  const pg = await loadPg()
  const where = withoutSecrets(url)
  const { schema, rest } = schemaOf(url)
  try {
    const pooled = await isPooled(pg, rest, host)
    const sizes = { ...poolSizes(pool.max), transactionMs: pool.transactionMs }
    const driver = openDriver(pg, { url: rest, schema, where, pooled }, sizes, host)
    const sender = senderName(host)
    // Under another name: this process does not know when its caller commits, so it listens to that as well.
    const notify = (topic: HintTopic) => notifyStep(schema, messageOf([topic], `${sender}-tx`))
    const direct = pool.direct ?? (pooled ? null : rest)
    const own = async () =>
      direct === null ? noHints : await listenTo(pg, { url: direct, channel: schema }, driver, host, sender)
    const hints = await openHints(own, { where, sender })
    return {
      store: createSqlStore('postgres', driver, hotScripts(), context, {
        hints,
        within: byRedis || direct === null ? null : notify,
      }),
      migrator: new PostgresMigrator(driver, schema),
    }
  } catch (error) {
    throw classified(error, { where, meaningOf })
  }
}

async function listenTo(
  pg: PostgresDriver,
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

/** `?schema=…` is ours; the rest of the URL is the driver's. */
function schemaOf(url: string): { readonly schema: string; readonly rest: string } {
  const parsed = parseServerUrl(url)
  const schema = parsed.searchParams.get('schema') ?? 'evertick'
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new EvertickError('unsupported_database', `"${schema}" cannot be the schema of Evertick.`, {
      field: 'database',
      next: 'Use small letters, digits and _, at most 63 of them.',
    })
  }
  parsed.searchParams.delete('schema')
  return { schema, rest: parsed.href }
}
