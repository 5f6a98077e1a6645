/**
 * The locks of the jobs that run on this node: taken before a run, kept while it goes on, given back at its end. A lock
 * that is lost, or that could not be renewed in its time, aborts its run: in doubt it stops.
 */
import type { AppContext } from '../../app/app-context.ts'
import type { HeldLock } from '../../app/locks/held-lock.ts'
import { LockExtender } from '../../app/locks/lock-extender.ts'
import { EvertickError } from '../../core/error.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { Logger } from '../../engine/logger.ts'
import { takeJobLock } from './job-locks.ts'

/** As long as a worker's lease: what a crashed run held is free when its execution is. */
const runLockMs = 30_000
const renewMs = runLockMs / 3

export interface RunLock {
  /** Aborted with `lock_lost` when somebody else may hold the job's lock. */
  readonly lost: AbortSignal
  release(): Promise<void>
}

export class RunLocks {
  readonly #app: AppContext
  readonly #logger: Logger
  readonly #held = new Map<HeldLock, LockExtender>()
  readonly #stopped = new AbortController()
  #onEmpty: () => void = () => {}

  constructor(app: AppContext, logger: Logger) {
    this.#app = app
    this.#logger = logger
  }

  /** Null where somebody holds the job by hand. */
  async take(jobId: string): Promise<RunLock | null> {
    const grant = await takeJobLock(this.#app, jobId, { ttlMs: runLockMs })
    if (grant === null) return null
    const { lock } = grant
    const extender = new LockExtender(grant, runLockMs, this.#app.clock, renewMs)
    this.#held.set(lock, extender)
    return {
      lost: AbortSignal.any([extender.lost, this.#stopped.signal]),
      release: async () => {
        this.#held.delete(lock)
        if (this.#held.size === 0) this.#onEmpty()
        await extender.stop()
        await this.#releaseLock(lock)
      },
    }
  }

  /** Waits for the runs that hold a lock, then aborts those that are left, and keeps their locks no longer. */
  async stop(timeout: Duration = '30s'): Promise<void> {
    if (this.#held.size === 0) return
    const timeoutMs = parseDuration(timeout, 'timeout')
    const emptied = new AbortController()
    this.#onEmpty = () => emptied.abort()
    if (timeoutMs > 0) await this.#app.clock.sleep(timeoutMs, emptied.signal)
    this.#stopped.abort(new EvertickError('not_running', 'The scheduler has stopped.'))
    for (const extender of this.#held.values()) await extender.stop()
  }

  /** A failure changes nothing about the run, which has ended: the lock runs out by itself. */
  async #releaseLock(lock: HeldLock): Promise<void> {
    try {
      await lock.release()
    } catch (error) {
      this.#logger.warn(`Could not release the lock of job ${lock.name}; it will run out`, { error })
    }
  }
}
