/** `evertick.locks`: named locks on the database, with a token that guards them and a fence that grows. */
import { EvertickError } from '../core/error.ts'
import { parseDuration } from '../core/schedule/duration.ts'
import type { Duration } from '../core/schedule/schedule.ts'
import type { LockRow } from '../store/store.ts'
import type { AppContext } from './app-context.ts'

export interface AcquireOptions {
  /** The lock is free again this long after its last extension. */
  readonly ttl: Duration
  /** How long to wait for a lock that somebody holds. @default not at all */
  readonly wait?: Duration
  readonly signal?: AbortSignal
}

const retryMs = 50

export class Locks {
  readonly #app: AppContext

  constructor(app: AppContext) {
    this.#app = app
  }

  /** The lock, or null where somebody else holds it. */
  async acquire(name: string, options: AcquireOptions): Promise<Lock | null> {
    const { store, clock, nodeId, newId } = this.#app
    const ttlMs = parseDuration(options.ttl, 'ttl')
    if (name === 'leader') throw reserved()
    const until = clock.now() + (options.wait === undefined ? 0 : parseDuration(options.wait, 'wait'))
    for (;;) {
      options.signal?.throwIfAborted()
      const now = clock.now()
      const token = newId(now)
      const taken = await store.acquireLock({ name, holder: nodeId, token, now, expiresAt: now + ttlMs })
      if (taken !== null) return new Lock(this.#app, name, token, taken.fence, ttlMs)
      if (clock.now() >= until) return null
      await clock.sleep(Math.min(retryMs, until - clock.now()), options.signal)
    }
  }

  async list(): Promise<(Omit<LockRow, 'expiresAt'> & { expiresAt: Date })[]> {
    const locks = await this.#app.store.listLocks()
    return locks.map((lock) => ({ ...lock, expiresAt: new Date(lock.expiresAt) }))
  }

  /** An operator's release, whoever holds it. */
  async release(name: string): Promise<void> {
    if (name === 'leader') throw reserved()
    if (await this.#app.store.releaseLock(name, null)) return
    throw new EvertickError('lock_not_found', `Nobody holds the lock "${name}".`, {
      next: 'List the locks with `evertick locks list`.',
    })
  }
}

function reserved(): EvertickError {
  return new EvertickError('invalid_option', 'The lock "leader" is Evertick’s own.', {
    field: 'name',
    next: 'Choose another name; `evertick leader step-down` ends a term.',
  })
}

export class Lock {
  readonly token: string
  /** Grows with every holder: give it to what you protect, so that it can refuse a late predecessor. */
  readonly fence: number
  readonly #app: AppContext
  readonly #name: string
  readonly #ttlMs: number

  constructor(app: AppContext, name: string, token: string, fence: number, ttlMs: number) {
    this.#app = app
    this.#name = name
    this.#ttlMs = ttlMs
    this.token = token
    this.fence = fence
  }

  /** Throws `lock_lost` where it had run out: somebody else may hold it by now. */
  async extend(ttl?: Duration): Promise<void> {
    const now = this.#app.clock.now()
    const ttlMs = ttl === undefined ? this.#ttlMs : parseDuration(ttl, 'ttl')
    if (await this.#app.store.extendLock(this.#name, this.token, now + ttlMs, now)) return
    throw new EvertickError('lock_lost', `The lock "${this.#name}" had run out.`, {
      next: 'Stop what it protects; extend earlier or take a longer ttl.',
    })
  }

  /** False where it was no longer ours. */
  async release(): Promise<boolean> {
    return await this.#app.store.releaseLock(this.#name, this.token)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }
}
