/** What is in a backup, line by line. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { BackupHeader } from '../../src/app/backup/backup-format.ts'

type Values = readonly (string | number | null)[]

export interface BackupLines {
  readonly header: BackupHeader
  readonly trailer: unknown
  /** As they were written. */
  readonly lines: readonly string[]
  /** Of one table, by the names of its columns. */
  readonly rows: (table: string) => Record<string, string | number | null>[]
}

export function linesOf(path: string): BackupLines {
  const lines = gunzipSync(readFileSync(path)).toString().trimEnd().split('\n')
  const [first = '', ...others] = lines
  const header = JSON.parse(first) as BackupHeader
  const trailer: unknown = JSON.parse(others.pop() ?? '')
  return {
    header,
    trailer,
    lines: others,
    rows(table) {
      const columns = header.tables.find(({ name }) => name === table)?.columns ?? []
      return others
        .map((line) => JSON.parse(line) as [string, ...Values])
        .filter(([name]) => name === table)
        .map(([, ...values]) => Object.fromEntries(columns.map((column, at) => [column, values[at] ?? null])))
    },
  }
}
