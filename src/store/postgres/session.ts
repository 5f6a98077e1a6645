/** Steps on one connection of PostgreSQL, its statements prepared where they can be. */
import { answerOf } from '../sql/runtime/queryable.ts'
import type { Answer, Step } from '../sql/runtime/script.ts'
import type { Session } from '../sql/runtime/server-session.ts'
import { answered, type SessionParts } from '../sql/runtime/session-pool.ts'
import type { Client } from './connection.ts'

interface PostgresSessionOptions {
  /** Null behind a pooler. */
  readonly names: StatementNames | null
  /** How long a transaction may rest between two statements. */
  readonly restMs: number
}

export class PostgresSession implements Session {
  readonly client: Client
  readonly #parts: SessionParts
  readonly #own: PostgresSessionOptions

  constructor(client: Client, parts: SessionParts, own: PostgresSessionOptions) {
    this.client = client
    this.#parts = parts
    this.#own = own
  }

  async run(step: Step): Promise<Answer> {
    let answer: unknown = null
    for (const { text, params } of this.#parts.dialect.spell(step)) {
      const name = this.#own.names?.of(text)
      answer = await this.#send({ text, values: [...params], ...(name === undefined ? {} : { name }) })
    }
    return answerOf(step, answer)
  }

  async query(text: string, params: readonly unknown[]): Promise<Record<string, unknown>[]> {
    const { rows } = await this.client.query<Record<string, unknown>>(text, [...params])
    return rows
  }

  async begin(kind: 'write' | 'snapshot'): Promise<void> {
    const level = kind === 'write' ? 'READ COMMITTED' : 'REPEATABLE READ READ ONLY'
    // In one round trip, and for this transaction only: behind a pooler the next one may be somebody else's.
    await this.#send(
      `BEGIN ISOLATION LEVEL ${level}; SET LOCAL idle_in_transaction_session_timeout = ${this.#own.restMs}`,
    )
  }

  async commit(): Promise<void> {
    await this.#send('COMMIT')
  }

  async rollback(): Promise<void> {
    await this.#send('ROLLBACK')
  }

  release(broken: boolean): void {
    this.#parts.release(broken)
  }

  async #send(query: string | NamedQuery): Promise<unknown> {
    const answer = typeof query === 'string' ? this.client.query(query) : this.client.query(query)
    return await answered(this.#parts, answer)
  }
}

interface NamedQuery {
  readonly text: string
  readonly values: unknown[]
  readonly name?: string
}

/** Prepared once per connection: planning the claim takes longer than running it. */
export class StatementNames {
  readonly #names = new Map<string, string>()

  of(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= maxNames) return known
    const name = `evertick_${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}

/** More texts than this means that some code builds them. */
const maxNames = 300
