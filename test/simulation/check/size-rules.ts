/** Retention holds sizes flat: what a month adds, a month takes away. */
import type { DatabaseSync } from 'node:sqlite'
import { Violation } from './violation.ts'

/** What has an age or a count to go by. Terms, revisions and the audit log are kept for good. */
const tables = [
  'evertick_job_executions',
  'evertick_attempts',
  'evertick_steps',
  'evertick_tick_ranges',
  'evertick_execution_logs',
  'evertick_ledger_totals',
  'evertick_day_totals',
  'evertick_nodes',
  'evertick_node_handlers',
  'evertick_locks',
]

export class SizeRules {
  /** From the second month on, when retention has something to take. */
  readonly #first = new Map<string, number>()
  #months = 0

  /** Once a month. */
  check(client: DatabaseSync): void {
    this.#months += 1
    for (const table of tables) {
      const size = Number(client.prepare(`SELECT count(*) AS size FROM ${table}`).get()?.['size'])
      const first = this.#first.get(table)
      if (this.#months === 2) this.#first.set(table, size)
      else if (first !== undefined && size > 2 * first + 200)
        throw new Violation(
          'retention holds sizes flat',
          `${table} had ${first} rows after two months, and ${size} after ${this.#months}`,
        )
    }
  }
}
