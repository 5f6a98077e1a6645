/** Database files that live as long as one measure, beside the system's other temporary files. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { newId } from '../src/app/ids.ts'
import { defineJob, Evertick, type EvertickOptions } from '../src/index.ts'
import { openStore } from '../src/store/open-store.ts'
import type { Store } from '../src/store/store.ts'

export async function inScratch<T>(work: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-bench-'))
  try {
    return await work(join(folder, 'bench.db'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

export async function withEvertick<T>(
  options: Omit<EvertickOptions, 'database'>,
  work: (evertick: Evertick, path: string) => Promise<T>,
): Promise<T> {
  return await inScratch(async (path) => {
    const evertick = await Evertick.open({ logger: silent, ...options, database: `sqlite:${path}` })
    try {
      return await work(evertick, path)
    } finally {
      await evertick.stop()
    }
  })
}

/** The store without a node around it, its schema in place. */
export async function withStore<T>(work: (store: Store, path: string) => Promise<T>): Promise<T> {
  return await inScratch(async (path) => {
    const { store, migrator } = await openStore(`sqlite:${path}`, { newId, tzVersion: 'bench' })
    try {
      await migrator.up(Date.now())
      return await work(store, path)
    } finally {
      await store.close()
    }
  })
}

/** A second connection with the settings that Evertick's own has, for the raw limits. */
export function openRaw(path: string): DatabaseSync {
  const client = new DatabaseSync(path)
  client.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
     PRAGMA wal_autocheckpoint = 4000; PRAGMA busy_timeout = 5000`,
  )
  return client
}

export function inTransaction(client: DatabaseSync, work: () => void): void {
  client.exec('BEGIN IMMEDIATE')
  work()
  client.exec('COMMIT')
}

/** What a commit promises, read back from the very connection that Evertick writes with. */
export async function durability(): Promise<string> {
  const job = defineJob({
    name: 'durability',
    run: (ctx) =>
      ctx.transaction(async (tx) => ({
        ...(await tx.query('PRAGMA journal_mode'))[0],
        ...(await tx.query('PRAGMA synchronous'))[0],
      })),
  })
  return await withEvertick({ jobs: [job] }, async (evertick) => {
    await evertick.start()
    const { id } = await evertick.enqueue(job)
    const found = (await evertick.result(id)) as { journal_mode: string; synchronous: number }
    const levels = ['OFF', 'NORMAL', 'FULL', 'EXTRA']
    return `journal_mode=${found.journal_mode} synchronous=${levels[found.synchronous]}`
  })
}
