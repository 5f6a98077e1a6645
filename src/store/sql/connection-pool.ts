/**
 * Connections that are opened on demand and handed on. The drivers' own pools let a caller wait for ever (mysql2) or no
 * longer than for a connection (pg), and one cuts off at its end what is still under way; this one does neither.
 */
import type { Host } from '../host.ts'

/** How the connections of a pool begin and end. */
export interface Lifecycle<Connection> {
  /** `onLost` is called where it breaks while nobody uses it. */
  open(onLost: (connection: Connection) => void): Promise<Connection>
  /** In order, when there is no hurry. */
  end(connection: Connection): Promise<void>
  /** At once: it may lead nowhere. */
  destroy(connection: Connection): void
  /** A connection that only waits does not keep the process alive. */
  rest(connection: Connection, resting: boolean): void
}

export class PoolError extends Error {
  readonly code: 'POOL_CLOSED' | 'POOL_EXHAUSTED'

  constructor(code: PoolError['code'], message: string) {
    super(message)
    this.code = code
  }
}

const idleMs = 60_000

interface Waiter<Connection> {
  readonly resolve: (connection: Connection | Promise<Connection>) => void
  readonly reject: (error: Error) => void
}

export class ConnectionPool<Connection extends object> {
  readonly #size: number
  readonly #waitMs: number
  readonly #lifecycle: Lifecycle<Connection>
  readonly #host: Host
  /** The one used last is used next, so that the others grow old. */
  readonly #idle: { readonly connection: Connection; readonly since: number }[] = []
  readonly #waiters: Waiter<Connection>[] = []
  /** Open, or about to be. */
  #count = 0
  #closed = false
  #onEmpty: () => void = () => {}

  constructor(
    { size, waitMs }: { readonly size: number; readonly waitMs: number },
    lifecycle: Lifecycle<Connection>,
    host: Host,
  ) {
    this.#size = size
    this.#waitMs = waitMs
    this.#lifecycle = lifecycle
    this.#host = host
  }

  async acquire(): Promise<Connection> {
    if (this.#closed) throw closed()
    const rested = this.#idle.pop()
    if (rested !== undefined) {
      this.#lifecycle.rest(rested.connection, false)
      return rested.connection
    }
    return this.#count < this.#size ? await this.#open() : await this.#wait()
  }

  release(connection: Connection, broken: boolean): void {
    if (broken || this.#closed) {
      this.#drop(() => (broken ? this.#lifecycle.destroy(connection) : void this.#lifecycle.end(connection)))
      return
    }
    const waiter = this.#waiters.shift()
    if (waiter !== undefined) {
      waiter.resolve(connection)
      return
    }
    this.#lifecycle.rest(connection, true)
    this.#idle.push({ connection, since: this.#host.monotonic() })
    this.#endOld()
  }

  /** Resolves when all are ended, those in use after their use. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    for (const { reject } of this.#waiters.splice(0)) reject(closed())
    const rested = this.#idle.splice(0)
    // Who awaits this wants to hear of the end, and a process with nothing else to do would not wait for it.
    for (const { connection } of rested) this.#lifecycle.rest(connection, false)
    await Promise.all(rested.map(async ({ connection }) => await this.#lifecycle.end(connection)))
    this.#count -= rested.length
    if (this.#count > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve))
  }

  async #open(): Promise<Connection> {
    this.#count += 1
    try {
      return await this.#lifecycle.open((connection) => this.#forget(connection))
    } catch (error) {
      this.#drop(() => {})
      throw error
    }
  }

  async #wait(): Promise<Connection> {
    return await new Promise((resolve, reject) => {
      const cancel = this.#host.timer(this.#waitMs, () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        reject(new PoolError('POOL_EXHAUSTED', `No connection became free within ${this.#waitMs} ms.`))
      })
      const waiter: Waiter<Connection> = {
        resolve: (connection) => {
          cancel()
          resolve(connection)
        },
        reject: (error) => {
          cancel()
          reject(error)
        },
      }
      this.#waiters.push(waiter)
    })
  }

  /** One connection fewer: who waits for one may open its own. */
  #drop(end: () => void): void {
    end()
    this.#count -= 1
    if (this.#closed && this.#count === 0) this.#onEmpty()
    if (!this.#closed) this.#waiters.shift()?.resolve(this.#open())
  }

  #forget(connection: Connection): void {
    const at = this.#idle.findIndex((rested) => rested.connection === connection)
    // In use: its user is told by the statement that fails, and gives it back as broken.
    if (at < 0) return
    this.#idle.splice(at, 1)
    this.#drop(() => this.#lifecycle.destroy(connection))
  }

  /** A burst's connections are given back to the server. */
  #endOld(): void {
    const line = this.#host.monotonic() - idleMs
    while (this.#idle[0] !== undefined && this.#idle[0].since < line) {
      const { connection } = this.#idle[0]
      this.#idle.shift()
      this.#drop(() => void this.#lifecycle.end(connection))
    }
  }
}

function closed(): PoolError {
  return new PoolError('POOL_CLOSED', 'The pool is closed.')
}
