/** Connections of `node:sqlite`, the only file that imports it, all set up in the same way. */
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { makePrivateFile } from '../private-files.ts'
import { troubleOf } from './dialect.ts'
import type { SqlitePlace } from './place.ts'

export type Client = DatabaseSync

export function connectionTo(place: SqlitePlace): Client {
  const { path, isInMemory } = place
  makePrivate(place)
  const client = new DatabaseSync(path)
  try {
    // A database in memory is held by this very thread: waiting for it would never end.
    const waitMs = isInMemory ? 0 : 5
    client.exec(`PRAGMA busy_timeout = ${waitMs * 1_000}`)
    if (!isInMemory) switchToWal(client)
    // From here on Patience waits for a busy file, without blocking the event loop.
    client.exec(`PRAGMA busy_timeout = ${waitMs}`)
    // Commits are as durable as with FULL: WalSync calls the fsync that COMMIT leaves out here.
    client.exec('PRAGMA synchronous = NORMAL')
    client.exec('PRAGMA cache_size = -65536')
    client.exec('PRAGMA wal_autocheckpoint = 4000')
    return client
  } catch (error) {
    client.close()
    throw error
  }
}

const switchAttempts = 500
const switchRetryMs = 10

/**
 * The switch takes a shared lock and then an exclusive one, so SQLite does not wait for others who do the same: of five
 * processes that open a new file at once, one in six would be told that it is locked. Only this wait blocks the loop.
 */
function switchToWal(client: Client): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      client.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (troubleOf(error) !== 'conflict' || attempt >= switchAttempts) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, switchRetryMs)
    }
  }
}

/** A new file is for its owner alone: inputs and results are in it. SQLite gives its log the same mode. */
function makePrivate({ path, isInMemory }: SqlitePlace): void {
  if (isInMemory || existsSync(path)) return
  try {
    makePrivateFile(path)
  } catch {
    // A folder or a right is missing: SQLite is about to say so, and its errors have our codes.
  }
}

/** Of a file that is somebody else's: it stays as it is, its journal too. */
export function readOnlyConnectionTo(path: string): Client {
  return new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
}

/**
 * A lock on a file that nothing is written to; the kernel ends it with this process. `shared`: refused while somebody holds
 * it alone, and refuses nobody who does the same. Only SQLite may open the file: when a process closes a file, it loses
 * all its locks on it, and SQLite alone looks out for that.
 */
export function lockedFile(path: string, how: 'alone' | 'shared'): Client {
  makePrivate({ path, isInMemory: false })
  const client = new DatabaseSync(path)
  try {
    client.exec('PRAGMA busy_timeout = 0')
    // Else a journal would be made beside it, though there is nothing to undo.
    if (how === 'alone') client.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE')
    else client.exec('BEGIN; SELECT count(*) FROM sqlite_master')
    return client
  } catch (error) {
    client.close()
    throw error
  }
}

/** A caller's own connection of `node:sqlite`; null for anything else. */
export function ofCaller(transaction: object): Client | null {
  return transaction instanceof DatabaseSync ? transaction : null
}
