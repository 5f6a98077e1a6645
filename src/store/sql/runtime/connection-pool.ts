/**
 * Connections that are opened on demand and handed on. The drivers' own pools let a caller wait for ever (mysql2) or no
 * longer than for a connection (pg), and one cuts off at its end what is still under way; this one does neither.
 */
import type { Host } from '../../host.ts'
import { inTime, NoAnswer } from '../../in-time.ts'
import { asError } from './dialect.ts'
import type { Dialer } from './dialer.ts'

/** How the connections of a pool begin and end. */
export interface Lifecycle<Connection> {
  /** `onLost` is called where it breaks while nobody uses it. */
  open(onLost: (connection: Connection) => void): Promise<Connection>
  /** Resolves where the other end answers. */
  check(connection: Connection): Promise<unknown>
  /** In order, when there is no hurry. */
  end(connection: Connection): Promise<void>
  /** At once: the other end may be gone. */
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
/** A connection that has rested for longer is checked first: a firewall may have forgotten it. A busy pool never pays. */
const restedMs = 1_000
const checkMs = 2_000
/** How long an orderly close waits for its answer. */
const endMs = 1_000
/** None of our own statements takes longer. */
const closeMs = 15_000

interface Waiter<Connection> {
  readonly resolve: (connection: Connection) => void
  readonly reject: (error: Error) => void
}

interface Rested<Connection> {
  readonly connection: Connection
  readonly since: number
}

export class ConnectionPool<Connection extends object> {
  readonly #size: number
  readonly #waitMs: number
  readonly #lifecycle: Lifecycle<Connection>
  readonly #dialer: Dialer
  readonly #host: Host
  /** The one used last is used next, so that the others can expire. */
  readonly #idle: Rested<Connection>[] = []
  readonly #inUse = new Set<Connection>()
  readonly #waiters: Waiter<Connection>[] = []
  #opening = 0
  #closed = false
  readonly #empty = Promise.withResolvers<void>()

  constructor(
    { size, waitMs }: { readonly size: number; readonly waitMs: number },
    lifecycle: Lifecycle<Connection>,
    { dialer, host }: { readonly dialer: Dialer; readonly host: Host },
  ) {
    this.#size = size
    this.#waitMs = waitMs
    this.#lifecycle = lifecycle
    this.#dialer = dialer
    this.#host = host
  }

  async acquire(): Promise<Connection> {
    if (this.#closed) throw closed()
    const rested = this.#idle.pop()
    if (rested !== undefined && (await this.#isUsable(rested))) return rested.connection
    if (this.#closed) throw closed()
    const connection = this.#wait()
    if (this.#count < this.#size) void this.#open()
    return await connection
  }

  release(connection: Connection, broken: boolean): void {
    // It was cut off while it was in use.
    if (!this.#inUse.delete(connection)) return
    if (!broken) this.#handOn(connection)
    else this.#drop(() => this.#lifecycle.destroy(connection))
  }

  /** Resolves when all are ended, those in use after their use, or when `graceMs` are over: then they are cut off. */
  async close(graceMs = closeMs): Promise<void> {
    this.#closed = true
    for (const { reject } of this.#waiters.splice(0)) reject(closed())
    const rested = this.#idle.splice(0)
    // The caller waits for the end, and a process with nothing else to do would exit before it.
    for (const { connection } of rested) this.#lifecycle.rest(connection, false)
    if (this.#count === 0) this.#empty.resolve()
    await Promise.all([
      ...rested.map(async ({ connection }) => await this.#end(connection)),
      inTime(this.#host, graceMs, this.#empty.promise).catch(() => this.#cutOff()),
    ])
  }

  /** Open, or about to be. */
  get #count(): number {
    return this.#idle.length + this.#inUse.size + this.#opening
  }

  /** Marks it as in use. Where it does not answer, those that have rested even longer are dead, too. */
  async #isUsable({ connection, since }: Rested<Connection>): Promise<boolean> {
    this.#inUse.add(connection)
    this.#lifecycle.rest(connection, false)
    if (this.#host.monotonic() - since < restedMs) return true
    try {
      await inTime(this.#host, checkMs, this.#lifecycle.check(connection))
      return this.#inUse.has(connection)
    } catch {
      this.release(connection, true)
      for (const older of this.#idle.splice(0)) this.#lifecycle.destroy(older.connection)
      return false
    }
  }

  async #open(): Promise<void> {
    this.#opening += 1
    try {
      const connection = await this.#dialer.dial(async () => {
        if (this.#closed) throw closed()
        return await this.#lifecycle.open((lost) => this.#forget(lost))
      })
      this.#opening -= 1
      this.#handOn(connection)
    } catch (error) {
      this.#opening -= 1
      // Callers with nothing else to wait for, no connection in use and none on its way, share the failure.
      const hopeless = this.#inUse.size > 0 ? 1 : Math.max(1, this.#waiters.length - this.#opening)
      for (const { reject } of this.#waiters.splice(0, hopeless)) reject(asError(error))
      this.#drop(() => {})
    }
  }

  async #wait(): Promise<Connection> {
    return await new Promise((resolve, reject) => {
      const cancel = this.#host.timer(this.#waitMs, () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        reject(this.#opening > 0 ? new NoAnswer(this.#waitMs) : exhausted(this.#waitMs))
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

  /** To the caller that has waited longest, or to rest. */
  #handOn(connection: Connection): void {
    if (this.#closed) return this.#drop(() => void this.#end(connection))
    const waiter = this.#waiters.shift()
    if (waiter !== undefined) {
      this.#inUse.add(connection)
      return waiter.resolve(connection)
    }
    this.#lifecycle.rest(connection, true)
    this.#idle.push({ connection, since: this.#host.monotonic() })
    this.#endOld()
  }

  /** One connection fewer: if a caller waits, another is opened. */
  #drop(end: () => void): void {
    end()
    if (this.#closed && this.#count === 0) this.#empty.resolve()
    if (!this.#closed && this.#waiters.length > this.#opening && this.#count < this.#size) void this.#open()
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
      this.#drop(() => void this.#end(connection))
    }
  }

  async #end(connection: Connection): Promise<void> {
    try {
      await inTime(this.#host, endMs, this.#lifecycle.end(connection))
    } catch {
      this.#lifecycle.destroy(connection)
    }
  }

  #cutOff(): void {
    for (const connection of this.#inUse) this.#lifecycle.destroy(connection)
    this.#inUse.clear()
    this.#empty.resolve()
  }
}

function closed(): PoolError {
  return new PoolError('POOL_CLOSED', 'The pool is closed.')
}

function exhausted(ms: number): PoolError {
  return new PoolError('POOL_EXHAUSTED', `No connection became free within ${ms} ms.`)
}
