/**
 * Named locks over many processes, on Redis or on a database, with no node around them.
 *
 * A lock keeps others away while its holder is well. It cannot stop a holder that was paused for longer than the ttl,
 * nor survive a Redis that loses its memory. So what it protects should be given the fence, and refuse a smaller one.
 */
import { hostname } from 'node:os'
import { EvertickError } from '../../core/error.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import { processHost } from '../../store/host.ts'
import { openRedisLocks, openStore } from '../../store/open-store.ts'
import { clockOf } from '../cluster/database-clock.ts'
import { prepareSchema } from '../cluster/prepare-schema.ts'
import { systemClock } from '../cluster/system-clock.ts'
import { refuseUnknown } from '../config/call-options.ts'
import { newId } from '../ids.ts'
import { type Grant, type HeldLock, lockLost, waitForLock } from './held-lock.ts'
import { LockExtender } from './lock-extender.ts'
import { databaseLocks, type LockKeeper } from './lock-keeper.ts'

export interface DistributedLockOptions {
  /** `redis://user:password@host:6379/0`, or `rediss://` for TLS. Either this or `database`. */
  readonly redis?: string
  /** A database of Evertick's, as for `Evertick.open`. A SQLite file is made and migrated, others are only checked. */
  readonly database?: string
  /** What others are told who ask for the owner. @default host, process id and a random part */
  readonly instanceId?: string
  /** Stands before every name. @default 'evertick' on Redis, none on a database */
  readonly prefix?: string
}

export interface LockOptions {
  /** The lock is free again this long after its last extension. @default '30s' */
  readonly ttl?: Duration
  /** Whether to wait for a lock that somebody holds. @default false */
  readonly blocking?: boolean
  /** How long to wait, with `blocking`. @default '10s' */
  readonly timeout?: Duration
  /** Ends the wait; `withLock` also hands it to its function. */
  readonly signal?: AbortSignal
}

export interface LockOwner {
  readonly owner: string
  readonly fence: number
  readonly expiresAt: Date
}

interface OpenKeeper {
  readonly keeper: LockKeeper
  close(): Promise<void>
}

const defaultTtl = '30s'
const defaultTimeout = '10s'
/** A lease that is shorter than a slow round trip protects nothing. */
const shortestTtlMs = 100
const longestName = 200

export class DistributedLock {
  readonly instanceId: string
  readonly #open: () => Promise<OpenKeeper>
  #opening: Promise<OpenKeeper> | null = null
  #closing: Promise<void> | null = null

  /** Connects at its first use. */
  constructor(options: DistributedLockOptions) {
    refuseUnknown(options, ['redis', 'database', 'instanceId', 'prefix'], 'DistributedLock')
    const { redis = '', database = '', instanceId, prefix } = options
    if ((redis === '') === (database === '')) {
      throw new EvertickError('invalid_option', 'A DistributedLock needs either redis or database.', {
        field: redis === '' ? 'redis' : 'database',
        next: "Write { redis: 'redis://localhost:6379' } or { database: 'sqlite:evertick.db' }.",
      })
    }
    this.instanceId = instanceId ?? `${hostname()}:${process.pid}:${newId(systemClock.now()).slice(-6)}`
    this.#open =
      redis === ''
        ? () => openOnDatabase(database, prefix ?? '')
        : () => openOnRedis(redis, prefix ?? 'evertick')
  }

  /** The lock, or null where somebody else holds it. Where it throws, the lock may be taken until its ttl is over. */
  async acquire(name: string, options: LockOptions = {}): Promise<HeldLock | null> {
    const grant = await this.#acquire(name, options)
    return grant?.lock ?? null
  }

  /** False where the token is not, or no longer, that of the holder. */
  async extend(name: string, token: string, ttl: Duration = defaultTtl): Promise<boolean> {
    const ttlMs = parseTtl(ttl)
    const { keeper } = await this.#opened()
    return await keeper.extend(name, token, ttlMs)
  }

  /** False where the token is not, or no longer, that of the holder. */
  async release(name: string, token: string): Promise<boolean> {
    const { keeper } = await this.#opened()
    return await keeper.release(name, token)
  }

  /** Who holds it, or null. By the time that you read it, it may be history. */
  async owner(name: string): Promise<LockOwner | null> {
    const { keeper } = await this.#opened()
    const held = await keeper.read(name)
    if (held === null) return null
    const { owner, fence, remainingMs } = held
    return { owner, fence, expiresAt: new Date(systemClock.now() + remainingMs) }
  }

  /**
   * Runs the function under the lock, extends the lock at half of its ttl meanwhile, and releases it at the end. The
   * signal is aborted when the lock is lost. Throws `lock_held` where somebody else holds it, and `lock_lost` where it
   * was lost before the function had ended: what was done then may have been done by two.
   */
  async withLock<T>(
    name: string,
    options: LockOptions,
    work: (signal: AbortSignal, lock: HeldLock) => T | Promise<T>,
  ): Promise<T> {
    const grant = await this.#acquire(name, options)
    if (grant === null) throw lockHeld(name)
    const { lock } = grant
    const extender = new LockExtender(grant, parseTtl(options.ttl), systemClock)
    const { lost } = extender
    const signal = options.signal === undefined ? lost : AbortSignal.any([lost, options.signal])
    const [ended] = await Promise.allSettled([startWork(() => work(signal, lock))])
    await extender.stop()
    const oursToTheEnd = await giveBack(lock)
    if (ended.status === 'rejected') throw ended.reason
    lost.throwIfAborted()
    if (!oursToTheEnd) throw lockLost(name)
    return ended.value
  }

  /** Held locks are not released: each runs out by its ttl. */
  async close(): Promise<void> {
    this.#closing ??= this.#close()
    await this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #acquire(name: string, options: LockOptions): Promise<Grant | null> {
    const { blocking, timeoutMs, ttlMs } = parseLockOptions(name, options)
    const { keeper } = await this.#opened()
    return await waitForLock(keeper, systemClock, {
      name,
      owner: this.instanceId,
      token: newId(systemClock.now()),
      ttlMs,
      waitMs: blocking ? timeoutMs : 0,
      // Spread out, so that those who wait do not all come at once.
      pauseMs: () => 50 + 100 * processHost.random(),
      signal: options.signal,
    })
  }

  #opened(): Promise<OpenKeeper> {
    if (this.#closing !== null) {
      throw new EvertickError('not_running', 'This DistributedLock has been closed.', {
        next: 'Make a new one.',
      })
    }
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = null
      throw error
    })
    return this.#opening
  }

  async #close(): Promise<void> {
    const [opened] = await Promise.allSettled([this.#opening])
    if (opened.status === 'fulfilled') await opened.value?.close()
  }
}

async function openOnRedis(url: string, prefix: string): Promise<OpenKeeper> {
  const locks = await openRedisLocks(url, prefix)
  return { keeper: locks, close: () => locks.close() }
}

async function openOnDatabase(url: string, prefix: string): Promise<OpenKeeper> {
  const { store, migrator } = await openStore(url, { newId, tzVersion: process.versions.tz ?? 'unknown' })
  try {
    const clock = await clockOf(store)
    await prepareSchema(migrator, url.startsWith('sqlite:'), clock.now())
    return { keeper: databaseLocks(store, clock, prefix), close: () => store.close() }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Also a throw before the first `await` is the work's own failure. */
async function startWork<T>(work: () => T | Promise<T>): Promise<T> {
  return await work()
}

/** False where the keeper says that it was no longer ours. One that cannot be reached lets it run out. */
async function giveBack(lock: HeldLock): Promise<boolean> {
  try {
    return await lock.release()
  } catch {
    return true
  }
}

function lockHeld(name: string): EvertickError {
  return new EvertickError('lock_held', `Somebody else holds the lock "${name}".`, {
    next: 'Try again later, or wait for it with blocking: true.',
  })
}

function parseLockOptions(
  name: string,
  options: LockOptions,
): { blocking: boolean; timeoutMs: number; ttlMs: number } {
  refuseUnknown(options, ['ttl', 'blocking', 'timeout', 'signal'], 'acquire')
  const { ttl, blocking = false, timeout } = options
  if (name === '' || name.length > longestName) {
    throw new EvertickError('invalid_option', `A lock's name has 1 to ${longestName} characters.`, {
      field: 'name',
    })
  }
  if (timeout !== undefined && !blocking) {
    throw new EvertickError('invalid_option', 'timeout says how long to wait, but nothing waits here.', {
      field: 'timeout',
      next: 'Add blocking: true, or leave timeout out.',
    })
  }
  return { blocking, timeoutMs: parseDuration(timeout ?? defaultTimeout, 'timeout'), ttlMs: parseTtl(ttl) }
}

function parseTtl(ttl: Duration = defaultTtl): number {
  const ttlMs = parseDuration(ttl, 'ttl')
  if (ttlMs >= shortestTtlMs) return ttlMs
  throw new EvertickError('invalid_option', `ttl must be at least ${shortestTtlMs}ms.`, { field: 'ttl' })
}
