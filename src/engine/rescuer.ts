/**
 * Takes back expired leases, cancels late starts, promotes what was left blocked. The leader does so; the other nodes look
 * whether leases were left behind, since the one that crashed may have been the leader, and the next is not elected yet.
 */
import { leaseSlackMs } from '../core/attempt/lease.ts'
import type { SeenLease } from '../store/store.ts'
import type { EngineContext } from './context.ts'
import type { Elector } from './elector.ts'
import type { Releaser } from './releaser.ts'
import { Alarm, Service } from './service.ts'
import { Standstill } from './standstill.ts'

/** Taken back in one transaction: 10,000 at 500 each took MariaDB 1.1 s, at 1,000 each 0.9 s, at 2,000 no less. */
export const batch = 1_000

export class Rescuer extends Service {
  readonly #context: EngineContext
  readonly #elector: Elector
  readonly #releaser: Releaser
  readonly #onReady: () => void
  readonly #alarm: Alarm
  readonly #everyMs: number
  readonly #idleMs: number
  readonly #standstill: Standstill
  #silent: readonly SeenLease[] = []

  constructor(
    context: EngineContext,
    /** `everyMs` while anything is leased; else as seldom as the shortest lease allows. */
    { everyMs, leaseMs }: { readonly everyMs: number; readonly leaseMs: number },
    parts: { readonly elector: Elector; readonly releaser: Releaser; readonly onReady: () => void },
  ) {
    super()
    this.#context = context
    this.#elector = parts.elector
    this.#releaser = parts.releaser
    this.#onReady = parts.onReady
    this.#alarm = new Alarm(context.clock)
    this.#standstill = new Standstill(context.clock)
    this.#everyMs = everyMs
    this.#idleMs = Math.max(everyMs, Math.min(leaseMs, context.clock.longestSleepMs))
  }

  /** Called on election: the crash of a leader is often the crash of a worker, too. */
  wake(): void {
    this.#alarm.ring()
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const leads = this.#elector.term() !== null
      // Nodes that were started together drift apart, so that they do not all find the same leases at once.
      let restMs = leads ? this.#everyMs : this.#idleMs * (1 - this.#context.random() / 4)
      let idle = false
      try {
        if (leads) {
          idle = !(await this.#sweep(signal))
          if (idle) restMs = this.#idleMs
        } else if (await this.#leftBehind()) await this.#sweep(signal)
      } catch (error) {
        this.#context.logger.warn('Could not take back expired leases; trying again', { error })
      }
      await this.#alarm.wait(restMs, signal, { idle })
    }
  }

  /** One read of an index. Other nodes wait a second longer than a live leader would. */
  async #leftBehind(): Promise<boolean> {
    const { store, clock } = this.#context
    return (await store.executions.listLeases('expired', clock.now() - leaseSlackMs, 1)).length > 0
  }

  /** Whether there is anything to watch over. */
  async #sweep(signal: AbortSignal): Promise<boolean> {
    let taken = batch
    let changed = 0
    let watching = false
    while (taken === batch && !signal.aborted) {
      const now = this.#context.clock.now()
      const result = await this.#context.store.work.expireLeases({
        now,
        limit: batch,
        random: this.#context.random,
        silent: this.#silent,
      })
      const look = ({ id, fence, leasedUntil }: SeenLease) => `${id}:${fence}:${leasedUntil}`
      this.#silent = this.#standstill.still(result.ahead, look, result.longestLeaseMs)
      taken = Math.max(result.expired.length, result.deadlined)
      changed += result.expired.length + result.deadlined
      watching = result.watching
      for (const { id, jobName, leasedBy, state } of result.expired) {
        const failed = state === 'failed'
        const next = failed ? ' It failed, and is not tried again.' : ''
        this.#context.logger[failed ? 'error' : 'warn'](
          `Lease of ${jobName} expired; it was held by ${leasedBy ?? 'nobody'} (execution ${id}).${next}`,
          { executionId: id, job: jobName },
        )
        this.#context.events.emit('lease:expired', { executionId: id, job: jobName, leasedBy })
      }
      this.#releaser.add(result.releases)
    }
    // Blocked executions count as watched: with nothing to watch there is nothing to release.
    if (watching) changed += await this.#releaseBlocked()
    if (changed > 0) this.#onReady()
    return watching
  }

  async #releaseBlocked(): Promise<number> {
    const { store, clock } = this.#context
    const { released, releases } = await store.work.releaseBlocked('any', clock.now())
    this.#releaser.add(releases)
    return released
  }
}
