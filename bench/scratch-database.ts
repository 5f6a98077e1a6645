/** Databases that live as long as one round of a measure, with Evertick or only its store on them. */
import { newId } from '../src/app/ids.ts'
import { defineJob, Evertick, type EvertickOptions } from '../src/index.ts'
import { openStore } from '../src/store/open-store.ts'
import type { Store } from '../src/store/store.ts'
import type { Connection, Engine, ScratchDatabase } from './engines/engine.ts'

export async function withDatabase<T>(
  engine: Engine,
  work: (database: ScratchDatabase) => Promise<T>,
): Promise<T> {
  const database = await engine.createDatabase()
  try {
    return await work(database)
  } finally {
    await database.drop()
  }
}

export const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

export async function withEvertick<T>(
  engine: Engine,
  options: Omit<EvertickOptions, 'database'>,
  work: (evertick: Evertick, database: ScratchDatabase) => Promise<T>,
): Promise<T> {
  return await withDatabase(engine, async (database) => {
    const given = { logger: silent, migrate: true, ...options, database: database.url }
    const evertick = await Evertick.open(given)
    try {
      return await work(evertick, database)
    } finally {
      await evertick.stop()
    }
  })
}

/** The store without a node around it, its schema in place. */
export async function withStore<T>(
  engine: Engine,
  work: (store: Store, database: ScratchDatabase) => Promise<T>,
): Promise<T> {
  return await withDatabase(engine, async (database) => {
    const { store, migrator } = await openStore(database.url, { newId, tzVersion: 'bench' })
    try {
      await migrator.up(Date.now())
      return await work(store, database)
    } finally {
      await store.close()
    }
  })
}

/** A connection beside Evertick's own. */
export async function withConnection<T>(
  database: ScratchDatabase,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await database.connect()
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}

/** A connection to a database that has Evertick's schema, and no Evertick that runs: for the raw limits. */
export async function withSchema<T>(
  engine: Engine,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  return await withStore(engine, (_, database) => withConnection(database, work))
}

/** The version, and what a commit promises, read back from the very connection that Evertick writes with. */
export async function settingsOf(engine: Engine): Promise<string> {
  const job = defineJob({
    name: 'settings',
    run: (ctx) => ctx.transaction(async (tx) => (await tx.query(engine.settingsText))[0]),
  })
  return await withEvertick(engine, { jobs: [job] }, async (evertick) => {
    await evertick.start()
    const { id } = await evertick.enqueue(job)
    const found = Object.entries((await evertick.result(id)) as Record<string, unknown>)
    return found
      .map(([name, value]) => (name === 'version' ? String(value) : `${name}=${String(value)}`))
      .join(', ')
  })
}
