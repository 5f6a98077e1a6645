/**
 * The way back: what has happened here since the import, as SQL for the old table. It is printed and never run: that table is
 * its owner's. A row is only changed where it still is as it was left.
 */
import type { AppContext } from '../../app/app-context.ts'
import { contextOf } from '../../app/app-context.ts'
import type { Evertick } from '../../evertick.ts'
import type { ForeignTables } from '../../store/foreign.ts'
import { processingJobOf } from '../processing/processing-job.ts'
import {
  type AdoptOptions,
  type AdoptReport,
  adoptedId,
  eachPage,
  refuseMissingTable,
  Tally,
} from './adoption.ts'
import { type ProcessingRow, processingRow } from './processing-jobs.ts'

export interface WayBack extends AdoptReport {
  readonly sql: readonly string[]
}

export async function processingJobsBack(
  evertick: Evertick,
  options: Omit<AdoptOptions, 'dryRun' | 'actor'>,
): Promise<WayBack> {
  const app = contextOf(evertick)
  const { table, from } = options
  await refuseMissingTable(options)
  const tally = new Tally()
  const sql: string[] = []
  const reading = { keys: ['id'], read: processingRow, left: tally, phase: 'checking' } as const
  const rows = await eachPage(options, reading, async (page) => {
    const open = page.filter(({ status }) => status !== 'done' && status !== 'failed')
    const known = new Set(await app.store.compat.knownMarks(open.map(({ mark }) => mark)))
    for (const row of open.filter(({ mark }) => known.has(mark))) {
      const change = await changeSince(app, row, tally)
      if (change === null) continue
      const sets = Object.entries(change).map(([name, value]) => `${name} = ${literal(value, from)}`)
      const id = /^\d{1,18}$/.test(row.id) ? row.id : literal(row.id, from)
      sql.push(
        `UPDATE ${table} SET ${sets.join(', ')} WHERE id = ${id} AND status = ${literal(row.status, from)} AND attempts = ${row.attempts};`,
      )
    }
    await app.rest()
  })
  return { table, dryRun: true, rows, groups: tally.groups, left: tally.left, sql }
}

async function changeSince({ store }: AppContext, row: ProcessingRow, tally: Tally) {
  const execution = await store.executions.findExecution(adoptedId(row.mark, row.createdAt))
  if (execution === null) {
    tally.leave(row.id, 'it ended here so long ago that its history is gone', 'Set its status there by hand.')
    return null
  }
  const { status, attempts, last_error } = processingJobOf(execution, null)
  if (status === 'processing') {
    tally.leave(row.id, 'it runs here now', 'Stop the workers, and print the SQL again.')
    return null
  }
  tally.add(row.status, status)
  if (status === row.status && attempts === row.attempts) return null
  return { status, attempts, last_error, locked_by: null, locked_until: null }
}

/** MySQL reads a backslash as the begin of an escape, unless it is told not to. */
function literal(value: string | number | null, { dialect }: Pick<ForeignTables, 'dialect'>): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  const plain = value.replaceAll('\0', '\uFFFD').replaceAll("'", "''")
  return `'${dialect === 'mysql' ? plain.replaceAll('\\', '\\\\') : plain}'`
}
