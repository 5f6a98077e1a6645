/**
 * A database moves to another, of any engine. The old one is marked, its nodes stop, its tables are put aside, and only then
 * is the first row read: whatever still lives can start nothing there. Each step finds what was done before it, so that a
 * move that was cut off is simply made again.
 */
import { randomUUID } from 'node:crypto'
import { EvertickError } from '../../core/error.ts'
import type { Clock } from '../../engine/clock.ts'
import { movedName, moveTarget } from '../../store/migrate.ts'
import type { OpenedStore } from '../../store/open-store.ts'
import type { ChangeContext, MoveMark, Store } from '../../store/store.ts'
import { withoutSecrets } from '../../store/store-url.ts'
import { prepareSchema } from '../cluster/prepare-schema.ts'
import { seenLatelyMs } from './restore-backup.ts'

export interface Movable extends OpenedStore {
  readonly url: string
  readonly clock: Clock
}

export interface MoveOptions {
  readonly actor: string
  readonly origin: string
  /** How long its nodes may take to stop. */
  readonly patienceMs: number
  /** What it does now, in words. */
  readonly onStep: (words: string) => void
  readonly onProgress: (done: number, total: number) => void
}

export interface MoveResult {
  readonly id: string
  readonly to: string
  readonly rows: number
  /** Whether an earlier try had written everything already. */
  readonly before: boolean
}

export async function moveDatabase(from: Movable, to: Movable, options: MoveOptions): Promise<MoveResult> {
  await prepareSchema(to.migrator, true, to.clock.now())
  const mark = await markOf(from, to, options)
  const source = { from: withoutSecrets(from.url), move: mark.id }
  const moved = await movedRows(to.store, mark)
  if (moved !== null) return { id: mark.id, to: mark.to, rows: moved, before: true }
  await waitForNodes(from, options)
  options.onStep('Putting its tables aside: whatever still lives can start nothing.')
  await from.store.backup.putTablesAside()
  const rows = await copy(from, to, source, options)
  return { id: mark.id, to: mark.to, rows, before: false }
}

/** Nodes may start on it again. Whoever has begun to use the other database must not go on. */
export async function takeBack(from: Movable, by: Omit<ChangeContext, 'now'>): Promise<MoveMark | null> {
  const mark = await from.store.backup.findMove()
  // Also without a mark: the tables come back before it goes.
  await from.store.backup.takeBack({ ...by, now: from.clock.now() })
  return mark
}

async function markOf(from: Movable, to: Movable, { actor, origin, onStep }: MoveOptions): Promise<MoveMark> {
  const wanted = withoutSecrets(to.url)
  const known = await knownMark(from)
  if (known === null) {
    await refuseOccupied(to)
    onStep('Marking the old database: its nodes stop, and none starts.')
  }
  const context = { now: from.clock.now(), actor, origin }
  const mark = known ?? (await from.store.backup.markMoved({ id: randomUUID(), to: wanted }, context))
  // Not by its begin alone: /jobs2 is another database than /jobs.
  if (mark.to === moveTarget(movedName(wanted))) return mark
  throw new EvertickError(
    'database_moved',
    `This database was moved to ${mark.to}, or is on its way there.`,
    {
      next: 'Go on with that database, or take this one back first with `evertick move --take-back --from URL`.',
    },
  )
}

async function knownMark({ migrator, store, clock }: Movable): Promise<MoveMark | null> {
  const status = await migrator.status()
  if (status.some(({ appliedAt }) => appliedAt === null)) await prepareSchema(migrator, false, clock.now())
  const mark = await store.backup.findMove()
  // A newer schema than this one is refused here.
  if (mark === null) await prepareSchema(migrator, false, clock.now())
  return mark
}

/** Before anything of the old database is touched. */
async function refuseOccupied({ store, clock }: Movable): Promise<void> {
  const { jobs, nodes } = await store.backup.findOccupants(clock.now() - seenLatelyMs)
  if (jobs + nodes.length === 0) return
  throw new EvertickError('database_in_use', 'The new database has jobs, or nodes that work on it.', {
    field: '--to',
    next: 'Nothing was moved. Name an empty database.',
  })
}

/** How many rows an earlier try of this very move has brought; null for none. */
async function movedRows(store: Store, { id }: MoveMark): Promise<number | null> {
  const entries = await store.audit.listAuditLog({ action: 'database.moved', limit: 1 })
  const { move, rows } = (entries[0]?.after ?? {}) as { move?: string; rows?: number }
  return move === id ? (rows ?? 0) : null
}

const lookMs = 1_000

async function waitForNodes({ store, clock }: Movable, { patienceMs, onStep }: MoveOptions): Promise<void> {
  const until = clock.now() + patienceMs
  let said = ''
  for (;;) {
    const nodes = await store.backup.findLiveNodes(clock.now() - seenLatelyMs)
    if (nodes.length === 0) return
    const words = `Waiting for ${nodes.length === 1 ? 'a node' : `${nodes.length} nodes`} to stop: ${nodes.slice(0, 3).join(', ')}.`
    if (words !== said) onStep(words)
    said = words
    if (clock.now() > until) throw stillAlive(nodes)
    await clock.sleep(lookMs)
  }
}

function stillAlive(nodes: readonly string[]): EvertickError {
  return new EvertickError(
    'database_in_use',
    `Nodes still work on the old database: ${nodes.slice(0, 3).join(', ')}.`,
    {
      next: 'Stop them, and make the same move again; or take the database back with `evertick move --take-back --from URL`.',
    },
  )
}

async function copy(
  from: Movable,
  to: Movable,
  source: { readonly from: string; readonly move: string },
  { actor, origin, onStep, onProgress }: MoveOptions,
): Promise<number> {
  return await from.store.backup.readTables(async (reader) => {
    const tables = await reader.tables()
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    onStep(`Moving ${rows.toLocaleString('en')} rows in one transaction.`)
    const request = {
      action: 'database.moved' as const,
      context: { now: to.clock.now(), actor, origin },
      unlessOccupiedSince: to.clock.now() - seenLatelyMs,
      source: { ...source, rows },
    }
    let done = 0
    await to.store.backup.replaceTables(request, async (writer) => {
      for (const table of tables) {
        let written = 0
        for await (const page of reader.rowsOf(table)) {
          await writer.write(table, page)
          written += page.length
          onProgress((done += page.length), rows)
        }
        if (written !== table.rows)
          throw new Error(`Of ${table.rows} rows of ${table.name}, ${written} were read.`)
      }
    })
    return rows
  })
}
