/** One random history on SQLite and on a server: afterwards both databases say the same, row for row. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isFinal } from '../../src/core/execution/execution-state.ts'
import { executionStateOf } from '../../src/store/sql/runtime/rows.ts'
import { finishedColumns } from '../../src/store/sql/work/make-final.ts'
import type { OpenStoreUnderTest, StoreUnderTest } from './conformance/store-under-test.ts'
import { aHistory } from './history.ts'
import { type Lived, live } from './live.ts'
import { openMemory } from './sqlite-store.ts'

const numRuns = Number(process.env['EVERTICK_SERVER_HISTORIES'] ?? 12)
const seed = Number(process.env['EVERTICK_SEED'] ?? 20_270_104)

export function describeSameHistory(name: string, open: OpenStoreUnderTest, { skip = false } = {}): void {
  describe.skipIf(skip)(`the same history: ${name}`, () => {
    test('ends in the same rows as on SQLite, and breaks no invariant on the way', {
      timeout: 3_600_000,
    }, async () => {
      let rows = 0
      await fc.assert(
        fc.asyncProperty(aHistory, async (history) => {
          const here = await lived(open, history)
          const there = await lived(openMemory, history)
          expect(here).toEqual(there)
          rows += here['executions']?.length ?? 0
        }),
        { numRuns, seed },
      )
      expect(rows).toBeGreaterThan(numRuns)
    })
  })
}

type Rows = readonly Readonly<Record<string, unknown>>[]

async function lived(open: OpenStoreUnderTest, history: Lived): Promise<Record<string, Rows>> {
  const bench = await open()
  try {
    await live(bench, history)
    return await told(bench)
  } finally {
    await bench.close()
  }
}

async function told({ sql }: StoreUnderTest): Promise<Record<string, Rows>> {
  return {
    jobs: (await sql('SELECT * FROM @jobs ORDER BY id')).map(withoutNumbers),
    executions: (await sql('SELECT * FROM @job_executions ORDER BY id')).map(asKept).map(withoutNumbers),
    attempts: (await sql('SELECT * FROM @attempts ORDER BY execution_id, finished_at, fence, outcome')).map(
      withoutNumbers,
    ),
    ranges: (await sql('SELECT * FROM @tick_ranges ORDER BY job_id, from_at')).map(withoutNumbers),
    totals: await sql('SELECT * FROM @ledger_totals ORDER BY job_id, account, reason'),
    revisions: await sql('SELECT * FROM @job_revisions ORDER BY job_id, revision'),
  }
}

/** What only a claim or its lease needs is not kept of a finished execution, where those have a table of their own. */
function asKept(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!isFinal(executionStateOf(String(row['state'])))) return row
  return Object.fromEntries(finishedColumns.map((name) => [name, row[name]]))
}

/** The numbers that a database gives to its rows, and columns that only one engine has. */
function withoutNumbers(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { seq: _seq, id, claim_priority: _priority, unique_open: _open, name_in_use: _name, ...rest } = row
  return typeof id === 'string' ? { id, ...rest } : rest
}
