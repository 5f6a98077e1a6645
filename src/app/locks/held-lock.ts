/**
 * A lock that somebody holds, and how it is got. Holding it is a lease, and a lease is no proof: a process that stands
 * still for longer than the ttl goes on believing in it. What must never be touched by two needs the fence.
 */
import { EvertickError } from '../../core/error.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { Clock } from '../../engine/clock.ts'
import type { LockKeeper } from './lock-keeper.ts'

export interface LockRequest {
  readonly name: string
  readonly owner: string
  readonly token: string
  readonly ttlMs: number
  /** How long to wait for a lock that somebody holds. */
  readonly waitMs: number
  /** How long until it is tried again. */
  readonly pauseMs: () => number
  readonly signal: AbortSignal | undefined
}

export interface Grant {
  readonly lock: HeldLock
  /** By `clock.monotonic()`, counted from before the lock was asked for: the keeper's own end comes later. */
  readonly until: number
}

/** Null where somebody else held it all the time. */
export async function waitForLock(
  keeper: LockKeeper,
  clock: Clock,
  request: LockRequest,
): Promise<Grant | null> {
  const { name, owner, token, ttlMs, waitMs, signal } = request
  const giveUpAt = clock.monotonic() + waitMs
  const over = () => clock.monotonic() >= giveUpAt
  for (;;) {
    signal?.throwIfAborted()
    const askedAt = clock.monotonic()
    try {
      const taken = await keeper.acquire(name, owner, token, ttlMs)
      if (taken !== null) {
        return { lock: new HeldLock(keeper, request, taken.fence), until: askedAt + ttlMs }
      }
      if (over()) return null
    } catch (error) {
      // Redis may come back while there is time. The same token then finds what an unanswered try has taken.
      const away = error instanceof EvertickError && error.code === 'redis_unavailable'
      if (!away || over()) throw error
    }
    await clock.sleep(Math.min(request.pauseMs(), giveUpAt - clock.monotonic()), signal)
  }
}

export class HeldLock {
  readonly name: string
  /** Proves to the keeper who holds the lock: only with it can it be extended or released. */
  readonly token: string
  /** Grows with every holder: give it to what you protect, so that it can refuse a late predecessor. */
  readonly fence: number
  readonly owner: string
  readonly #keeper: LockKeeper
  readonly #ttlMs: number

  constructor(keeper: LockKeeper, request: Omit<LockRequest, 'signal'>, fence: number) {
    this.name = request.name
    this.token = request.token
    this.fence = fence
    this.owner = request.owner
    this.#keeper = keeper
    this.#ttlMs = request.ttlMs
  }

  /** By its own ttl, unless another is given. Throws `lock_lost` where it had run out: somebody else may hold it by now. */
  async extend(ttl?: Duration): Promise<void> {
    const ttlMs = ttl === undefined ? this.#ttlMs : parseDuration(ttl, 'ttl')
    if (!(await this.#keeper.extend(this.name, this.token, ttlMs))) throw lockLost(this.name)
  }

  /** False where it was no longer ours. */
  async release(): Promise<boolean> {
    return await this.#keeper.release(this.name, this.token)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }
}

export function lockLost(name: string, cause?: unknown): EvertickError {
  return new EvertickError('lock_lost', `The lock "${name}" had run out.`, {
    next: 'Stop what it protects; extend earlier or take a longer ttl.',
    cause,
  })
}
