/** `evertick.locks`: named locks on the database, with a token that guards them and a fence that grows. */
import { EvertickError } from '../../core/error.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { LockRow } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'
import { type HeldLock, waitForLock } from './held-lock.ts'
import { databaseLocks, type LockKeeper, refuseReserved } from './lock-keeper.ts'

/** What `evertick.locks.acquire` gives: the same as a `DistributedLock` does. */
export type Lock = HeldLock

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
  readonly #keeper: LockKeeper

  constructor(app: AppContext) {
    this.#app = app
    this.#keeper = databaseLocks(app.store, app.clock)
  }

  /** The lock, or null where somebody else holds it. */
  async acquire(name: string, options: AcquireOptions): Promise<Lock | null> {
    const { clock, nodeId, newId, measures } = this.#app
    const request = {
      name,
      owner: nodeId,
      token: newId(clock.now()),
      ttlMs: parseDuration(options.ttl, 'ttl'),
      waitMs: options.wait === undefined ? 0 : parseDuration(options.wait, 'wait'),
      pauseMs: () => retryMs,
      signal: options.signal,
    }
    const grant = await measures.time('lock_wait', () => waitForLock(this.#keeper, clock, request))
    return grant?.lock ?? null
  }

  async list(): Promise<(Omit<LockRow, 'expiresAt'> & { expiresAt: Date })[]> {
    const locks = await this.#app.store.cluster.listLocks()
    return locks.map((lock) => ({ ...lock, expiresAt: new Date(lock.expiresAt) }))
  }

  /** An operator's release, whoever holds it. */
  async release(name: string, by: ActorOptions = {}): Promise<void> {
    refuseReserved(name)
    if (await this.#app.store.cluster.releaseLock(name, null, changeContext(this.#app, by))) return
    throw new EvertickError('lock_not_found', `Nobody holds the lock "${name}".`, {
      next: 'List the locks with `evertick locks list`.',
    })
  }
}
