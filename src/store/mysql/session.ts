/** Steps on one connection of MySQL or MariaDB. It knows when the server has ended its transaction. */
import { answerOf } from '../sql/runtime/queryable.ts'
import type { Answer, Step } from '../sql/runtime/script.ts'
import { ServerFailure, type Session } from '../sql/runtime/server-session.ts'
import { answered, type SessionParts } from '../sql/runtime/session-pool.ts'
import type { Client } from './connection.ts'
import { endsTransaction } from './dialect.ts'

export class MysqlSession implements Session {
  readonly client: Client
  readonly #parts: SessionParts
  /** Why the transaction is gone, while its user still writes in it. */
  #ended: Error | null = null
  #began = false

  constructor(client: Client, parts: SessionParts) {
    this.client = client
    this.#parts = parts
  }

  async run(step: Step): Promise<Answer> {
    let answer: unknown = null
    for (const { text, params } of this.#parts.dialect.spell(step)) answer = await this.#send(text, params)
    return answerOf(step, answer)
  }

  async query(text: string, params: readonly unknown[]): Promise<Record<string, unknown>[]> {
    const [rows] = await this.#ask(text, params.map(writable))
    return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
  }

  async begin(kind: 'write' | 'snapshot'): Promise<void> {
    if (kind === 'snapshot') await this.#send('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
    await this.#send(
      kind === 'write' ? 'START TRANSACTION' : 'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY',
    )
    this.#began = true
  }

  async commit(): Promise<void> {
    await this.#send('COMMIT')
    this.#began = false
  }

  async rollback(): Promise<void> {
    this.#began = false
    this.#ended = null
    await this.#send('ROLLBACK')
  }

  release(broken: boolean): void {
    this.#parts.release(broken)
  }

  async #send(text: string, params: readonly unknown[] = []): Promise<unknown> {
    try {
      return await answered(this.#parts, this.#ask(text, params))
    } catch (error) {
      // The driver adds the statement as it was sent, with every input in it: that must not reach a log.
      if (error instanceof ServerFailure && error.cause instanceof Error) {
        Reflect.deleteProperty(error.cause, 'sql')
      }
      throw error
    }
  }

  /**
   * A deadlock costs its victim the whole transaction, not only the statement. A handler that went on would commit each
   * of its next statements by itself.
   */
  async #ask(sql: string, params: readonly unknown[]): Promise<[unknown, unknown]> {
    if (this.#ended !== null) throw this.#ended
    try {
      return await this.client.query({ sql, values: [...params] })
    } catch (error) {
      if (this.#began && error instanceof Error && endsTransaction(error)) this.#ended = error
      throw error
    }
  }
}

/** An object is JSON, as on the other engines; the driver would make `key = value` pairs of it. */
function writable(value: unknown): unknown {
  const isPlain =
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !(value instanceof Uint8Array)
  return isPlain ? JSON.stringify(value) : value
}
