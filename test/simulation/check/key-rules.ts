/** Keys that stand for many events: one execution of a key waits, and no event joins a run that has begun. */
import type { Change, KeyRow } from './change-log.ts'
import type { Model } from './model.ts'
import type { Rule } from './rules.ts'
import { Violation } from './violation.ts'

export class KeyRules {
  readonly #model: Model
  #touched = new Set<string>()

  constructor(model: Model) {
    this.#model = model
  }

  see(change: Change): void {
    if (change.table === 'execution') this.#touch(this.#model.keys.get(change.after?.id ?? ''))
    if (change.table !== 'key' || change.after === null) return
    const { before, after } = change
    this.#touch(after)
    if (before === null || after.events > before.events) this.#seeEvent(after)
  }

  end(): void {
    for (const key of this.#touched) this.#countWaiting(key)
    this.#touched = new Set()
  }

  #touch(row: KeyRow | undefined): void {
    if (row !== undefined) this.#touched.add(nameOf(row))
  }

  /** The row of a new one comes before its execution. In the span of a throttled key, events are for a run that may be over. */
  #seeEvent(row: KeyRow): void {
    const execution = this.#model.executions.get(row.execution_id)
    if (row.mode === 'throttle' || execution === undefined) return
    if (execution.state === 'pending' && execution.attempt === 0) return
    throw broken(
      'an event joins no run',
      row,
      `${row.execution_id}, which is ${execution.state}, was given an event`,
    )
  }

  #countWaiting(key: string): void {
    const waiting = [...this.#model.keys.values()].filter((row) => nameOf(row) === key && this.#waits(row))
    const [row, ...more] = waiting
    if (row !== undefined && more.length > 0)
      throw broken('one waiting per key', row, `${waiting.length} of it wait`)
  }

  /** What has steps may be asleep, and is under way then. */
  #waits({ execution_id }: KeyRow): boolean {
    const state = this.#model.executions.get(execution_id)?.state
    return (state === 'pending' || state === 'retrying') && this.#model.steps(execution_id).size === 0
  }
}

function nameOf({ job_id, mode, unique_key }: KeyRow): string {
  return `${job_id} ${mode} ${unique_key}`
}

function broken(rule: Rule, { mode, unique_key }: KeyRow, what: string): Violation {
  return new Violation(rule, `the key "${unique_key}" (${mode}): ${what}`)
}
