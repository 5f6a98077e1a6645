/** Databases for the tests of backups, and by what a restored one may differ from its backup. */
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Evertick, type EvertickOptions } from '../../src/index.ts'
import { quiet } from '../promises/support.ts'
import { temporaryFolder } from '../store/sqlite-store.ts'
import { openFilled } from './filled.ts'
import { type BackupLines, linesOf } from './lines.ts'

/** A folder that is gone after the test. */
export function testFolder(): string {
  const folder = temporaryFolder()
  onTestFinished(() => folder.remove())
  return folder.path
}

/** Opened for the test, and not started. */
export async function opened(database: string, options: Partial<EvertickOptions> = {}): Promise<Evertick> {
  const evertick = await Evertick.open({ database, logger: quiet, migrate: true, ...options })
  onTestFinished(() => evertick.stop())
  return evertick
}

/** The backup of a database in use, and where it is. */
export async function filledBackup(folder: string, name = 'filled'): Promise<string> {
  const node = await openFilled(`sqlite:${join(folder, `${name}.db`)}`)
  const path = join(folder, `${name}.backup`)
  await node.evertick.backup(path)
  await node.stop()
  return path
}

/**
 * The lines of a backup without what a restore writes: fences, leases and places in a reserve of what is unfinished, and
 * its own entry and term.
 */
export function comparable(path: string): string[] {
  const lines = linesOf(path)
  return lines.header.tables.flatMap(({ name }) =>
    lines
      .rows(name)
      .filter((row) => !isOfRestore(name, row))
      .map((row) => JSON.stringify([name, unfenced(name, row)])),
  )
}

type Row = ReturnType<BackupLines['rows']>[number]

function isOfRestore(table: string, row: Row): boolean {
  return (
    row['action'] === 'database.restore' ||
    row['leader_instance'] === 'restore' ||
    (table === 'term_repairs' && Number(row['term_id']) > 100_000)
  )
}

const final = ['completed', 'failed', 'cancelled']

function unfenced(table: string, row: Row): Row {
  if (table === 'locks') return { ...row, fence: null }
  if (table === 'steps') return { ...row, rest_fence: row['rest_fence'] === null ? null : 1 }
  if (table !== 'job_executions' || final.includes(String(row['state']))) return row
  return { ...row, fence: null, leased_until: row['leased_until'] === null ? null : 1 }
}
