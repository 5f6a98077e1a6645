/** What `ctx.transaction` hands out on a server. It ends with the transaction: later use is refused, not written outside. */
import type { Transaction } from '../../store.ts'
import type { Dialect } from './dialect.ts'
import { transactionEnded } from './nested-write.ts'
import type { Script } from './script.ts'
import type { Session } from './server-session.ts'

export class ServerTransaction implements Transaction {
  readonly #session: Session
  readonly #dialect: Dialect
  #ended = false

  constructor(session: Session, dialect: Dialect) {
    this.#session = session
    this.#dialect = dialect
  }

  get client(): unknown {
    this.#assertOpen()
    return this.#session.client
  }

  async sql(strings: TemplateStringsArray, ...values: unknown[]): Promise<Record<string, unknown>[]> {
    return await this.query(this.#dialect.template(strings), values)
  }

  async query(text: string, params: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    this.#assertOpen()
    return await this.#session.query(text, params)
  }

  async run<T>(script: Script<T>): Promise<T> {
    let step = script.next()
    while (!step.done) {
      this.#assertOpen()
      step = script.next(await this.#session.run(step.value))
    }
    return step.value
  }

  end(): void {
    this.#ended = true
  }

  #assertOpen(): void {
    if (this.#ended) throw transactionEnded()
  }
}
