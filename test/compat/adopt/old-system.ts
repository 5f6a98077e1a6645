/** The tables of another system in a file of their own, and a node on a manual clock that imports them. */
import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import type { AdoptOptions } from '../../../src/compat/adopt/adoption.ts'
import { openForeign } from '../../../src/store/open-store.ts'
import { openTestNode, type TestNode, type TestNodeOptions } from '../../../src/testing/index.ts'
import { testFolder } from '../../cli/run-cli.ts'

export const start = '2026-01-01T00:00:00Z'

export interface OldSystem {
  readonly node: TestNode
  /** As its owner, who may write. */
  readonly owner: DatabaseSync
  readonly url: string
  readonly options: (table: string, changes?: Partial<AdoptOptions>) => AdoptOptions
}

export async function oldSystem(sql: string, node: TestNodeOptions = {}): Promise<OldSystem> {
  const file = `${testFolder()}/old.db`
  const owner = new DatabaseSync(file)
  owner.exec(sql)
  const url = `sqlite:${file}`
  const from = await openForeign(url)
  const opened = await openTestNode({ start, ...node })
  onTestFinished(async () => {
    await opened.stop()
    await from.close()
    owner.close()
    rmSync(file)
  })
  return {
    node: opened,
    owner,
    url,
    options: (table, changes = {}) => ({
      from,
      table,
      actor: 'test',
      dryRun: false,
      onProgress: () => {},
      ...changes,
    }),
  }
}

/** What became of how many rows: `was > becomes: rows`. */
export function became({
  groups,
}: {
  groups: readonly { was: string; becomes: string; rows: number }[]
}): string[] {
  return groups.map(({ was, becomes, rows }) => `${was} > ${becomes}: ${rows}`).toSorted()
}
