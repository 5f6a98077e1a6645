/**
 * The form of a backup: lines of JSON, compressed by gzip. First a header, then a line for each row, which begins with its
 * table's name, by table, and last a trailer with the number of rows and the hashes of all that stands before it.
 */
import { EvertickError } from '../../core/error.ts'
import type { BackupRow, BackupTable, CountedTable } from '../../store/store.ts'

export const formatName = 'evertick-backup'
export const formatVersion = 1

export interface BackupHeader {
  readonly format: typeof formatName
  readonly version: number
  /** The newest migration of the database that it was made of. */
  readonly schema: number
  /** The version of Evertick that made it. */
  readonly product: string
  readonly engine: string
  readonly madeAt: string
  readonly tables: readonly CountedTable[]
}

export interface BackupTrailer {
  readonly end: typeof formatName
  readonly rows: Readonly<Record<string, number>>
  /** Of the lines before this one. */
  readonly sha256: string
  /** Of the bytes of the file before this line's. */
  readonly fileSha256: string
}

export function lineOf(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

export function rowLine({ name }: BackupTable, row: BackupRow): string {
  return lineOf([name, ...row])
}

export function damaged(path: string, why: string, cause?: unknown): EvertickError {
  return new EvertickError('backup_damaged', `${path} is not a whole backup: ${why}.`, {
    next: 'Nothing was written. Use another backup.',
    cause,
  })
}

/** What this Evertick does not know yet, it must not guess. */
export function refuseNewer(
  path: string,
  { version, schema, product }: Pick<BackupHeader, 'version' | 'schema' | 'product'>,
  known: number,
): void {
  if (version <= formatVersion && schema <= known) return
  throw new EvertickError(
    'backup_newer',
    `${path} was made by Evertick ${product}, which is newer than this one.`,
    {
      next: 'Nothing was written. Install that version, or a later one, and restore with it.',
    },
  )
}
