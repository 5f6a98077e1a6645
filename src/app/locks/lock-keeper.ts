/** Where named locks are kept. Each verb is one atomic step, and the keeper's own time says when a lock has run out. */
import { EvertickError } from '../../core/error.ts'
import type { Clock } from '../../engine/clock.ts'
import type { Store } from '../../store/store.ts'

export interface LockKeeper {
  /** Null where somebody else holds the lock. */
  acquire(
    name: string,
    owner: string,
    token: string,
    ttlMs: number,
  ): Promise<{ readonly fence: number } | null>
  /** False where the token is not, or no longer, that of the holder. */
  extend(name: string, token: string, ttlMs: number): Promise<boolean>
  release(name: string, token: string): Promise<boolean>
  read(name: string): Promise<LockState | null>
}

export interface LockState {
  readonly owner: string
  readonly fence: number
  readonly remainingMs: number
}

export function databaseLocks(store: Store, clock: Clock, prefix = ''): LockKeeper {
  const full = (name: string) => (prefix === '' ? name : `${prefix}:${name}`)
  return {
    acquire(given, owner, token, ttlMs) {
      const name = full(given)
      refuseReserved(name)
      const now = clock.now()
      return store.cluster.acquireLock({ name, holder: owner, token, now, expiresAt: now + ttlMs })
    },
    extend(name, token, ttlMs) {
      const now = clock.now()
      return store.cluster.extendLock(full(name), token, now + ttlMs, now)
    },
    release: (name, token) => store.cluster.releaseLock(full(name), token),
    async read(name) {
      const locks = await store.cluster.listLocks()
      const now = clock.now()
      const held = locks.find((lock) => lock.name === full(name) && lock.expiresAt > now)
      return held === undefined
        ? null
        : { owner: held.holder, fence: held.fence, remainingMs: held.expiresAt - now }
    },
  }
}

export function refuseReserved(name: string): void {
  if (name !== 'leader') return
  throw new EvertickError('invalid_option', 'The lock "leader" is Evertick’s own.', {
    field: 'name',
    next: 'Choose another name; `evertick leader step-down` ends a term.',
  })
}
