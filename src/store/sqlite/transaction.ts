/** SQLite's own: what `ctx.transaction` hands out. After the transaction its use is refused, not written outside. */
import { transactionEnded } from '../sql/runtime/nested-write.ts'
import type { Script } from '../sql/runtime/script.ts'
import type { Transaction } from '../store.ts'
import type { SqliteSession } from './session.ts'

type SqlValue = string | number | bigint | null | Uint8Array

export class SqliteTransaction implements Transaction {
  readonly #session: SqliteSession
  #ended = false

  constructor(session: SqliteSession) {
    this.#session = session
  }

  get client(): unknown {
    this.#assertOpen()
    return this.#session.client
  }

  async sql(strings: TemplateStringsArray, ...values: unknown[]): Promise<Record<string, unknown>[]> {
    return await this.query(strings.join('?'), values)
  }

  async query(text: string, params: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    this.#assertOpen()
    return this.#session.client.prepare(text).all(...params.map(toSqlValue))
  }

  run<T>(script: Script<T>): T {
    this.#assertOpen()
    return this.#session.run(script)
  }

  end(): void {
    this.#ended = true
  }

  #assertOpen(): void {
    if (this.#ended) throw transactionEnded()
  }
}

function toSqlValue(value: unknown): SqlValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value
  if (value instanceof Uint8Array) return value
  return JSON.stringify(value)
}
