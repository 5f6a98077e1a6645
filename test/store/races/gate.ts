/**
 * A store whose next transaction stands still before its COMMIT, so that another can come in its way: what SQLite, with
 * its one writer, can never show.
 */
import { processHost } from '../../../src/store/host.ts'
import type { HotScripts } from '../../../src/store/sql/hot-scripts.ts'
import { type Answer, aloneOf, type Step } from '../../../src/store/sql/runtime/script.ts'
import { ServerDriver } from '../../../src/store/sql/runtime/server-driver.ts'
import type { ServerEngine, Session } from '../../../src/store/sql/runtime/server-session.ts'
import { createSqlStore } from '../../../src/store/sql/sql-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { scriptContext } from '../builders.ts'

export class Gate {
  #standing = Promise.withResolvers<void>()
  #opened = Promise.withResolvers<void>()
  #shut = false

  /** The next transaction, and each after it, stands before its COMMIT until `open`. */
  shut(): void {
    this.#shut = true
    this.#standing = Promise.withResolvers()
    this.#opened = Promise.withResolvers()
  }

  open(): void {
    this.#shut = false
    this.#opened.resolve()
  }

  /** Resolves once a transaction stands there. */
  async standing(): Promise<void> {
    await this.#standing.promise
  }

  async pass(): Promise<void> {
    if (!this.#shut) return
    this.#standing.resolve()
    await this.#opened.promise
  }
}

/** What a server's store is made of, for a test that puts something of its own between. */
export interface ServerParts {
  readonly engine: ServerEngine
  readonly hot: () => HotScripts
  readonly dialect: Store['dialect']
}

export function gatedStore({ engine, hot, dialect }: ServerParts, gate: Gate): Store {
  const gated: ServerEngine = {
    ...engine,
    openPool: (size, answerMs) => {
      const pool = engine.openPool(size, answerMs)
      return {
        acquire: async () => new GatedSession(await pool.acquire(), gate),
        close: async () => await pool.close(),
      }
    },
  }
  const driver = new ServerDriver(gated, processHost, { pulse: 1, work: 2, handlers: 1 })
  return createSqlStore(dialect, driver, hot(), scriptContext('gated'))
}

class GatedSession implements Session {
  readonly #inner: Session
  readonly #gate: Gate
  #began = false

  constructor(inner: Session, gate: Gate) {
    this.#inner = inner
    this.#gate = gate
  }

  get client(): unknown {
    return this.#inner.client
  }

  /** A write that is a transaction of its own is given one, or there would be nothing to stand before. */
  async run(step: Step): Promise<Answer> {
    if (this.#began || aloneOf(step) !== 'writes') return await this.#inner.run(step)
    await this.#inner.begin('write')
    const answer = await this.#inner.run(step)
    await this.commit()
    return answer
  }

  async query(text: string, params: readonly unknown[]): Promise<Record<string, unknown>[]> {
    return await this.#inner.query(text, params)
  }

  async begin(kind: 'write' | 'snapshot'): Promise<void> {
    await this.#inner.begin(kind)
    this.#began = true
  }

  async commit(): Promise<void> {
    await this.#gate.pass()
    this.#began = false
    await this.#inner.commit()
  }

  async rollback(): Promise<void> {
    this.#began = false
    await this.#inner.rollback()
  }

  release(broken: boolean): void {
    this.#inner.release(broken)
  }
}
