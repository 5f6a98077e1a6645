/** What every import of another system's tables shares: where it reads, what it says of it, and how it goes through the rows. */
import { createHash } from 'node:crypto'
import { repeatedIds } from '../../app/ids.ts'
import { EvertickError } from '../../core/error.ts'
import type { ForeignRow, ForeignTables } from '../../store/foreign.ts'
import { textIn, Unreadable } from './cells.ts'

export interface AdoptOptions {
  readonly from: ForeignTables
  readonly table: string
  readonly actor: string
  /** Only says what would be done. */
  readonly dryRun: boolean
  readonly onProgress: (done: number, total: number, phase: AdoptPhase) => void
}

export type AdoptPhase = 'checking' | 'importing'

/** Rows that had the same and became the same. */
export interface AdoptedGroup {
  /** A status there, or what else they have in common. */
  readonly was: string
  readonly rows: number
  readonly becomes: string
}

/** A row that was not imported, and what to do about it. */
export interface LeftRow {
  readonly row: string
  readonly why: string
  readonly next: string
}

export interface AdoptReport {
  readonly table: string
  readonly dryRun: boolean
  readonly rows: number
  readonly groups: readonly AdoptedGroup[]
  readonly left: readonly LeftRow[]
}

/** Gathers the report while rows go by. */
export class Tally {
  readonly #groups = new Map<string, AdoptedGroup>()
  readonly left: LeftRow[] = []

  add(was: string, becomes: string, rows = 1): void {
    const key = `${was}\n${becomes}`
    this.#groups.set(key, { was, becomes, rows: (this.#groups.get(key)?.rows ?? 0) + rows })
  }

  leave(row: string, why: string, next: string): void {
    this.left.push({ row, why, next })
  }

  /** An error that is about this row alone. */
  leaveFor(row: string, error: unknown): void {
    if (!(error instanceof EvertickError) && !(error instanceof Unreadable)) throw error
    this.leave(row, error.message, error.next ?? 'Put it right there, and import again.')
  }

  get groups(): AdoptedGroup[] {
    return [...this.#groups.values()]
  }
}

export async function refuseMissingTable({
  from,
  table,
}: Pick<AdoptOptions, 'from' | 'table'>): Promise<void> {
  if (await from.hasTable(table)) return
  throw new EvertickError('table_not_found', `The database has no table "${table}".`, {
    field: '--table',
    next: 'Name it with --table, with its schema if it is in another one: --table app.jobs.',
  })
}

/** What Evertick makes under these very names, and must not import. */
const ownNames = /^(?:(\w+)\.)?(?:scheduler_leader_log|processing_jobs)$/i

export async function refuseOwnTable(from: ForeignTables, url: string, table: string): Promise<void> {
  const [named, schema] = ownNames.exec(table) ?? []
  if (named === undefined) return
  const prefix = /[?&]prefix=(\w+)/.exec(url)?.[1] ?? 'evertick_'
  if (!(await from.hasTable(schema === undefined ? `${prefix}migrations` : `${schema}.migrations`))) return
  throw new EvertickError('invalid_option', `"${table}" in that database is Evertick’s own.`, {
    field: '--table',
    next: 'Name the table that you had before, such as --table old_processing_jobs.',
  })
}

interface Reading<T> {
  /** The first of these columns that the table has tells its rows apart. */
  readonly keys: readonly string[]
  readonly read: (row: ForeignRow) => T
  readonly left: Pick<Tally, 'leaveFor'>
  readonly phase: AdoptPhase
}

/** Page by page. A row that cannot be read is left, and does not stop the others. */
export async function eachPage<T>(
  { from, table, onProgress }: Pick<AdoptOptions, 'from' | 'table' | 'onProgress'>,
  { keys, read, left, phase }: Reading<T>,
  use: (items: readonly T[]) => Promise<void>,
): Promise<number> {
  const total = await from.countRows(table)
  let done = 0
  for await (const page of from.rowsOf(table, keys)) {
    const items = page.flatMap((row) => {
      try {
        return [read(row)]
      } catch (error) {
        left.leaveFor(textIn(row, ...keys) ?? '', error)
        return []
      }
    })
    await use(items)
    onProgress((done += page.length), Math.max(total, done), phase)
  }
  return done
}

/**
 * What a row is known by for ever: not by its table's name, which may change before the next import, and not by its id alone,
 * which a table of another database has as well.
 */
export function markOf(kind: string, id: string, ...same: readonly (string | number | null)[]): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([id, ...same]))
    .digest('hex')
  return `import:${kind}:${id.slice(0, 100)}:${hash.slice(0, 24)}`
}

/** Always the same for the same row. */
export function adoptedId(mark: string, createdAt: number): string {
  return repeatedIds(createdAt, mark)(createdAt)
}
