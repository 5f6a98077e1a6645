/**
 * The locks of the jobs that run on this node: taken before a run, kept while it goes on, given back at its end. One
 * loop keeps them all. A lock that is lost, or that could not be renewed in its time, aborts its run: in doubt it stops.
 */
import type { AppContext } from '../../app/app-context.ts'
import { type Grant, lockLost } from '../../app/locks/held-lock.ts'
import { EvertickError } from '../../core/error.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { Logger } from '../../engine/logger.ts'
import { Alarm, Service } from '../../engine/service.ts'
import { takeJobLock } from './job-locks.ts'

/** As long as a worker's lease: what a crashed run held is free when its execution is. */
export const runLockMs = 30_000
const renewalsPerTtl = 3

export interface RunLock {
  /** Aborted with `lock_lost` when somebody else may hold the job's lock. */
  readonly lost: AbortSignal
  release(): Promise<void>
}

interface Held {
  readonly lock: Grant['lock']
  readonly lost: AbortController
  /** By `clock.monotonic()`. */
  until: number
}

export class RunLocks extends Service {
  readonly #app: AppContext
  readonly #logger: Logger
  readonly #alarm: Alarm
  readonly #held = new Set<Held>()
  #onEmpty: () => void = () => {}

  constructor(app: AppContext, logger: Logger) {
    super()
    this.#app = app
    this.#logger = logger
    this.#alarm = new Alarm(app.clock)
  }

  /** Null where somebody holds the job by hand. */
  async take(jobId: string): Promise<RunLock | null> {
    const grant = await takeJobLock(this.#app, jobId, { ttlMs: runLockMs })
    if (grant === null) return null
    const held: Held = { ...grant, lost: new AbortController() }
    this.#held.add(held)
    this.#alarm.ring()
    return {
      lost: held.lost.signal,
      release: () => this.#release(held),
    }
  }

  /** Waits for the runs that hold a lock, then aborts those that are left. */
  async drain(timeout: Duration = '30s'): Promise<void> {
    if (this.#held.size === 0) return
    const timeoutMs = parseDuration(timeout, 'timeout')
    const emptied = new AbortController()
    this.#onEmpty = () => emptied.abort()
    if (timeoutMs > 0) await this.#app.clock.sleep(timeoutMs, emptied.signal)
    for (const { lost } of this.#held)
      lost.abort(new EvertickError('not_running', 'The scheduler has stopped.'))
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#app
    while (!signal.aborted) {
      const idle = this.#held.size === 0
      await this.#alarm.wait(idle ? clock.longestSleepMs : runLockMs / renewalsPerTtl, signal)
      for (const held of this.#held) if (!signal.aborted) await this.#renew(held)
    }
  }

  /** Whatever becomes of it, the run has ended as it has: a lock that cannot be given back runs out. */
  async #release(held: Held): Promise<void> {
    this.#held.delete(held)
    if (this.#held.size === 0) this.#onEmpty()
    try {
      await held.lock.release()
    } catch (error) {
      this.#logger.warn(`Could not give back the lock of job ${held.lock.name}; it runs out`, { error })
    }
  }

  async #renew(held: Held): Promise<void> {
    const { clock } = this.#app
    const now = clock.monotonic()
    // Rung for a new one: the others are young still.
    if (held.until - now > runLockMs * (1 - 1 / renewalsPerTtl)) return
    try {
      await held.lock.extend(runLockMs)
      held.until = now + runLockMs
    } catch (error) {
      const gone = error instanceof EvertickError && error.code === 'lock_lost'
      if (gone || clock.monotonic() >= held.until) held.lost.abort(lockLost(held.lock.name, error))
    }
  }
}
