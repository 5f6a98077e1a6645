/** One moment of a database becomes a file: under a name of its own until it is whole and on the disk. */
import { createHash, type Hash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { EvertickError } from '../../core/error.ts'
import { privateFileMode } from '../../store/private-files.ts'
import type { Store, TableReader } from '../../store/store.ts'
import { version } from '../config/version.ts'
import {
  type BackupHeader,
  type BackupTrailer,
  formatName,
  formatVersion,
  lineOf,
  rowLine,
} from './backup-format.ts'
import { storedMember } from './stored-member.ts'

export interface BackupOptions {
  readonly onProgress?: (done: number, total: number) => void
}

export interface BackupResult {
  readonly madeAt: Date
  readonly rows: number
  /** Of the compressed file. */
  readonly bytes: number
  /** Of the whole file, as `sha256sum` prints it. */
  readonly sha256: string
}

export interface BackupFileOptions extends BackupOptions {
  /** Whether a file of that name may be replaced. */
  readonly replace?: boolean
}

export async function writeBackupFile(
  store: Store,
  now: number,
  path: string,
  { replace = false, ...options }: BackupFileOptions = {},
): Promise<BackupResult> {
  if (!replace && existsSync(path)) {
    throw new EvertickError('file_exists', `${path} already exists; nothing was written.`, {
      next: 'Name another file, or replace it with --replace.',
    })
  }
  const part = `${path}.part-${randomBytes(4).toString('hex')}`
  const opened = await openPart(path, part)
  // `flush`: on the disk before it is closed.
  const file = opened.createWriteStream({ flush: true })
  try {
    const result = await writeBackup(store, now, file, options)
    await rename(part, path)
    await syncFolder(dirname(path))
    return result
  } catch (error) {
    file.destroy()
    await rm(part, { force: true })
    throw error
  }
}

async function openPart(path: string, part: string): Promise<FileHandle> {
  try {
    return await open(part, 'wx', privateFileMode)
  } catch (error) {
    throw new EvertickError('file_not_found', `${path} cannot be written.`, {
      next: 'Check that its folder exists, and may be written.',
      cause: error,
    })
  }
}

/** Ends the stream, but for the process's own output. */
export async function writeBackup(
  store: Store,
  now: number,
  to: Writable,
  { onProgress = () => {} }: BackupOptions = {},
): Promise<BackupResult> {
  const madeAt = new Date(now)
  return await store.backup.readTables(async (reader) => {
    const tables = await reader.tables()
    const total = tables.reduce((sum, { rows }) => sum + rows, 0)
    const header: BackupHeader = {
      format: formatName,
      version: formatVersion,
      schema: reader.schemaVersion,
      product: version,
      engine: store.dialect,
      madeAt: madeAt.toISOString(),
      tables,
    }
    const written = new Written((done) => onProgress(done, total))
    const compressed = new Written()
    await pipeline(
      written.through(linesOf(reader, header, written)),
      createGzip(),
      async function* (chunks: AsyncIterable<Buffer>) {
        yield* compressed.through(chunks)
        const end = storedMember(lineOf(trailerOf(header, written, compressed)))
        compressed.add(end)
        yield end
      },
      to,
      { end: to !== process.stdout },
    )
    return { madeAt, rows: written.rows, bytes: compressed.bytes, sha256: compressed.digest() }
  })
}

async function* linesOf(reader: TableReader, header: BackupHeader, written: Written): AsyncGenerator<Buffer> {
  yield Buffer.from(lineOf(header))
  for (const table of header.tables) {
    for await (const rows of reader.rowsOf(table)) {
      yield Buffer.from(rows.map((row) => rowLine(table, row)).join(''))
      written.count(table.name, rows.length)
    }
  }
}

function trailerOf({ tables }: BackupHeader, written: Written, compressed: Written): BackupTrailer {
  return {
    end: formatName,
    rows: Object.fromEntries(tables.map(({ name }) => [name, written.of(name)])),
    sha256: written.digest(),
    fileSha256: compressed.digest(),
  }
}

/** What has gone past: its rows, its bytes and their hash. */
class Written {
  readonly #hash: Hash = createHash('sha256')
  readonly #rows = new Map<string, number>()
  readonly #onRows: (rows: number) => void
  bytes = 0
  rows = 0

  constructor(onRows: (rows: number) => void = () => {}) {
    this.#onRows = onRows
  }

  async *through(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.add(chunk)
      yield chunk
    }
  }

  add(chunk: Buffer): void {
    this.#hash.update(chunk)
    this.bytes += chunk.length
  }

  count(table: string, rows: number): void {
    this.#rows.set(table, this.of(table) + rows)
    this.rows += rows
    this.#onRows(this.rows)
  }

  of(table: string): number {
    return this.#rows.get(table) ?? 0
  }

  digest(): string {
    return this.#hash.copy().digest('hex')
  }
}

/** The new name is on the disk as well. Windows has no such call, and opens no folder. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
