/** A backup's file, read from its begin to its end and checked on the way. Only who has read all of it knows that it is whole. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { EvertickError } from '../../core/error.ts'
import type { BackupRow, BackupTable, TableForms } from '../../store/store.ts'
import { type BackupHeader, type BackupTrailer, damaged } from './backup-format.ts'
import { checkedRow, headerOf, parsed, trailerOf } from './check-header.ts'
import { longestMember, storedTextAt } from './stored-member.ts'

export interface ReadBackup {
  readonly header: BackupHeader
  readonly rows: number
  /** Of the whole file, as `sha256sum` prints it. */
  readonly sha256: string
}

export interface ReadBackupOptions {
  readonly forms: TableForms
  /** Rows of one table, in order. What it throws ends the reading. */
  readonly take: (table: BackupTable, rows: readonly BackupRow[]) => Promise<void>
  readonly onProgress: (done: number, total: number) => void
}

export async function readBackup(path: string, options: ReadBackupOptions): Promise<ReadBackup> {
  const { trailer, bodyBytes, end } = await endOf(path)
  const fileHash = createHash('sha256')
  const lineHash = createHash('sha256')
  const rows = new Rows(path, options)
  const read = async () => {
    await pipeline(
      createReadStream(path, { end: bodyBytes - 1 }),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          fileHash.update(chunk)
          yield chunk
        }
      },
      createGunzip(),
      async (chunks: AsyncIterable<Buffer>) => {
        const decoder = new TextDecoder()
        let rest = ''
        for await (const chunk of chunks) {
          lineHash.update(chunk)
          const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) await rows.add(line)
        }
        if (rest !== '') throw damaged(path, 'its last row is cut off')
        await rows.flush()
      },
    )
  }
  await reading(path, read, async () => (await sha256Of(path, bodyBytes)) === trailer.fileSha256)
  if (fileHash.copy().digest('hex') !== trailer.fileSha256 || lineHash.digest('hex') !== trailer.sha256) {
    throw damaged(path, 'its checksum is another')
  }
  const header = rows.finished(trailer)
  return { header, rows: rows.done, sha256: fileHash.update(end).digest('hex') }
}

/** The last line is a member of its own, every byte of which is checked, and it has the hash of every byte before it. */
async function endOf(path: string) {
  const { size, tail } = await lastBytes(path)
  const last = storedTextAt(tail)
  if (last === null) throw damaged(path, 'its end is missing, or was changed')
  if (last.bytes === size) throw damaged(path, 'its begin is missing')
  return {
    trailer: trailerOf(path, last.text),
    bodyBytes: size - last.bytes,
    end: tail.subarray(tail.length - last.bytes),
  }
}

async function lastBytes(path: string): Promise<{ readonly size: number; readonly tail: Buffer }> {
  const file = await opened(path)
  try {
    const { size } = await file.stat()
    const tail = Buffer.alloc(Math.min(size, longestMember))
    await file.read(tail, 0, tail.length, size - tail.length)
    return { size, tail }
  } finally {
    await file.close()
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r')
  } catch (error) {
    throw new EvertickError('file_not_found', `${path} cannot be read.`, {
      next: 'Check its name and rights.',
      cause: error,
    })
  }
}

/** What the decompressor says of a damaged file becomes our words; whoever takes the rows has said its own. */
async function reading(
  path: string,
  read: () => Promise<void>,
  isWhole: () => Promise<boolean>,
): Promise<void> {
  try {
    await read()
  } catch (error) {
    const isCompression = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
    if (isCompression) throw damaged(path, 'it cannot be decompressed', error)
    // A flipped bit can make any version of a version.
    const isNewer = error instanceof EvertickError && error.code === 'backup_newer'
    throw isNewer && !(await isWhole()) ? damaged(path, 'its checksum is another') : error
  }
}

async function sha256Of(path: string, bytes: number): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { end: bytes - 1 }), hash)
  return hash.digest('hex')
}

const batchRows = 500
const batchCharacters = 1_000_000

/** The lines after the first, checked against it and handed on in batches of one table. */
class Rows {
  readonly #path: string
  readonly #options: ReadBackupOptions
  readonly #counts = new Map<string, number>()
  #header: BackupHeader | null = null
  #table = 0
  #batch: BackupRow[] = []
  #characters = 0
  done = 0

  constructor(path: string, options: ReadBackupOptions) {
    this.#path = path
    this.#options = options
  }

  async add(line: string): Promise<void> {
    if (this.#header === null) {
      this.#header = headerOf(this.#path, line, this.#options.forms)
      return
    }
    const values = parsed(this.#path, line)
    if (!Array.isArray(values)) throw damaged(this.#path, 'a line of it is not a row')
    while (this.#current !== null && this.#current.name !== values[0]) await this.#next()
    const table = this.#current
    const form = this.#options.forms.tables.find(({ name }) => name === table?.name)
    if (table === null || form === undefined) throw damaged(this.#path, 'its rows are not in order')
    this.#batch.push(checkedRow(this.#path, table.columns, form, values))
    this.#characters += line.length
    if (this.#batch.length >= batchRows || this.#characters >= batchCharacters) await this.flush()
  }

  async flush(): Promise<void> {
    const [table, rows] = [this.#current, this.#batch]
    if (table === null || rows.length === 0) return
    this.#batch = []
    this.#characters = 0
    await this.#options.take(table, rows)
    this.done += rows.length
    this.#counts.set(table.name, (this.#counts.get(table.name) ?? 0) + rows.length)
    this.#options.onProgress(this.done, this.#total)
  }

  /** The first and the last line agree with what stood between them. */
  finished(trailer: BackupTrailer): BackupHeader {
    const header = this.#header
    if (header === null) throw damaged(this.#path, 'it is empty')
    for (const { name, rows } of header.tables) {
      const read = this.#counts.get(name) ?? 0
      if (read !== rows || trailer.rows[name] !== rows)
        throw damaged(this.#path, `rows of its table ${name} are missing`)
    }
    return header
  }

  get #current() {
    return this.#header?.tables[this.#table] ?? null
  }

  get #total(): number {
    return (this.#header?.tables ?? []).reduce((sum, { rows }) => sum + rows, 0)
  }

  async #next(): Promise<void> {
    await this.flush()
    this.#table += 1
  }
}
