/**
 * The database's time, as this node estimates it: its own monotonic time plus a measured offset. So hosts need no
 * synchronised clocks, and a host's clock that is set changes nothing here. Fences, not this estimate, keep writers apart;
 * it only decides when another node's lease counts as expired.
 */
import type { Clock } from '../../engine/clock.ts'
import type { Store } from '../../store/store.ts'
import { systemClock } from './system-clock.ts'

/** A measurement is good for this long: clocks drift apart by a few milliseconds in it. */
const freshMs = 30_000
/** An answer that took longer is too imprecise. A measurement this old is replaced by any answer. */
const slowMs = 250
const staleMs = 10 * freshMs
/** The host's clock and its monotonic time have parted by this much: it was set, or the machine has slept. */
const leapMs = 1_000

interface Sample {
  /** Database time minus monotonic time. */
  readonly offset: number
  readonly takenAt: number
  /** The host's time minus monotonic time. */
  readonly host: number
}

export class DatabaseClock implements Clock {
  readonly longestSleepMs: number
  readonly #base: Clock
  readonly #ask: () => Promise<number>
  #sample: Sample
  #asking = false

  private constructor(ask: () => Promise<number>, base: Clock) {
    this.#ask = ask
    this.#base = base
    this.longestSleepMs = base.longestSleepMs
    this.#sample = this.#sampleAt(base.now(), 0)
  }

  /** Measures once before the first use. */
  static async open(ask: () => Promise<number>, base: Clock = systemClock): Promise<DatabaseClock> {
    const clock = new DatabaseClock(ask, base)
    await clock.#measure(Number.POSITIVE_INFINITY)
    return clock
  }

  now(): number {
    const monotonic = this.#base.monotonic()
    const age = monotonic - this.#sample.takenAt
    const leapt = Math.abs(this.#base.now() - monotonic - this.#sample.host) > leapMs
    if (age > freshMs || leapt) this.#refresh(age > staleMs || leapt ? Number.POSITIVE_INFINITY : slowMs)
    return Math.floor(monotonic + this.#sample.offset)
  }

  monotonic(): number {
    return this.#base.monotonic()
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await this.#base.sleep(ms, signal)
  }

  timer(ms: number, callback: () => void, idle?: boolean): () => void {
    return this.#base.timer(ms, callback, idle)
  }

  /** Runs in the background; while the database is unavailable, the last measurement is used. */
  #refresh(slowestMs: number): void {
    if (this.#asking) return
    this.#asking = true
    void this.#measure(slowestMs)
      .catch(() => {})
      .finally(() => {
        this.#asking = false
      })
  }

  async #measure(slowestMs: number): Promise<void> {
    const askedAt = this.#base.monotonic()
    const time = await this.#ask()
    const tookMs = this.#base.monotonic() - askedAt
    if (tookMs <= slowestMs) this.#sample = this.#sampleAt(time, tookMs / 2)
  }

  #sampleAt(time: number, agoMs: number): Sample {
    const takenAt = this.#base.monotonic()
    return { offset: time + agoMs - takenAt, takenAt, host: this.#base.now() - takenAt }
  }
}

/** The host's clock where it is the database's, else the node's estimate of the server's time. */
export async function clockOf(store: Store): Promise<Clock> {
  if ((await store.time()) === null) return systemClock
  return await DatabaseClock.open(async () => Number(await store.time()))
}
