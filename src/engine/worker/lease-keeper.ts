/**
 * Keeps the leases of what this worker holds, and hears from the store what it holds no longer: a lost lease or a cancel
 * aborts the handler's signal. A cancelled execution's lease is not renewed, so a handler that ignores its signal holds
 * up its successor no longer than that.
 */

import { leaseSlackMs } from '../../core/attempt/lease.ts'
import type { Claim } from '../../store/store.ts'
import type { EngineContext } from '../context.ts'
import { Alarm, Service } from '../service.ts'
import { Held, type StopReason } from './held.ts'

const cancelPollMs = 1_000
/** Most runs that begin by their place in a reserve end before this, and their end says when they began. */
const noteAfterMs = 500

export class LeaseKeeper extends Service {
  readonly #context: EngineContext
  readonly #leaseMs: number
  readonly #extendAt: number
  readonly #alarm: Alarm
  readonly #held = new Map<string, Held>()

  /** `extendAt`: the part of a lease after which it is renewed. */
  constructor(context: EngineContext, leaseMs: number, extendAt: number) {
    super()
    this.#context = context
    this.#leaseMs = leaseMs
    this.#extendAt = extendAt
    this.#alarm = new Alarm(context.clock)
  }

  hold(claim: Claim, leasedUntil: number): Held {
    const held = new Held(claim, leasedUntil)
    this.#held.set(claim.id, held)
    if (this.#held.size === 1) {
      // Before its handler is called: it may block at once.
      this.#context.pulse?.beat()
      this.#alarm.ring()
    }
    return held
  }

  letGo(held: Held): void {
    held.end()
    if (this.#held.get(held.id) !== held) return
    this.#held.delete(held.id)
    if (this.#held.size === 0) this.#alarm.ring()
  }

  /**
   * Before a transaction that nothing else of ours may pass for so long: its own lease begins again, and no other runs out
   * meanwhile. Not simply all of them: that is a write for everything in reserve, at each transaction.
   */
  async extendFor(held: Held, holdMs: number): Promise<void> {
    const now = this.#context.clock.now()
    const isShort = ({ leasedUntil }: Held) => leasedUntil - now <= holdMs + leaseSlackMs
    const kept = [...this.#held.values()].filter(isKept)
    await this.#extend(kept.filter((one) => one === held || isShort(one)))
  }

  abort(held: Held, reason: StopReason): void {
    held.stop(reason)
  }

  abortAll(reason: StopReason): void {
    for (const held of this.#held.values()) this.abort(held, reason)
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    const { clock, pulse } = this.#context
    // At least two rounds between the renewal's time and the lease's end.
    const roundMs = Math.min(
      cancelPollMs,
      Math.floor(this.#leaseMs / 4),
      Math.floor((this.#leaseMs * (1 - this.#extendAt)) / 2),
    )
    let round: Promise<void> | null = null
    while (!signal.aborted) {
      const changed = await this.#alarm.wait(this.#held.size === 0 ? clock.longestSleepMs : roundMs, signal)
      if (this.#held.size === 0) pulse?.rest()
      else pulse?.beat()
      // What was claimed just now needs no renewal yet, and of most runs nothing is left a round later.
      if (changed || this.#held.size === 0) continue
      // A database that does not answer must not keep us from seeing that leases run out.
      round ??= this.#renew().finally(() => {
        round = null
      })
      await this.#within(round, roundMs)
      pulse?.beat()
      const now = clock.now()
      for (const held of this.#held.values()) if (held.leasedUntil <= now) this.abort(held, 'lost')
    }
    await round
  }

  async #within(round: Promise<void>, ms: number): Promise<void> {
    const ended = new AbortController()
    await Promise.race([round, this.#context.clock.sleep(ms, ended.signal)])
    ended.abort()
  }

  async #renew(): Promise<void> {
    const { store, clock, logger, nodeId } = this.#context
    try {
      const now = clock.now()
      const leftMs = this.#leaseMs * (1 - this.#extendAt)
      await this.#extend(
        [...this.#held.values()].filter((held) => isKept(held) && held.leasedUntil - now <= leftMs),
      )
      await this.#noteStarts(now)
      for (const id of await store.work.findCancelRequests(nodeId)) this.#cancel(id)
    } catch (error) {
      logger.warn('Could not renew leases; trying again', { error })
    }
  }

  async #noteStarts(now: number): Promise<void> {
    const long = [...this.#held.values()].flatMap((held) => {
      const { id, fence, unnotedSince } = held
      const isLong = unnotedSince !== null && now - unnotedSince >= noteAfterMs
      return isLong ? [{ held, start: { id, fence, startedAt: unnotedSince } }] : []
    })
    if (long.length === 0) return
    await this.#context.store.work.noteStarts(long.map(({ start }) => start))
    for (const { held } of long) held.unnotedSince = null
  }

  async #extend(due: readonly Held[]): Promise<void> {
    if (due.length === 0) return
    const { store, clock } = this.#context
    const now = clock.now()
    const leasedUntil = now + this.#leaseMs
    const { lost, cancelled } = await store.work.extendLeases({ claims: due, leasedUntil, now })
    const gone = new Set(lost)
    for (const held of due) {
      if (gone.has(held.id)) this.abort(held, 'lost')
      else held.leasedUntil = leasedUntil
    }
    for (const id of cancelled) this.#cancel(id)
  }

  #cancel(id: string): void {
    const held = this.#held.get(id)
    if (held !== undefined) this.abort(held, 'cancel')
  }
}

/** What timed out is kept until the runner gives it up, or its lease might run out first and count as a crash. */
function isKept({ stopReason }: Held): boolean {
  return stopReason === null || stopReason === 'timeout'
}
