/**
 * An app with timers and a queue of its own, in which processes come, crash and go: everything from one seed, on one
 * clock. Every answer takes its time, and a process may die at any of its calls, before or after what the call does.
 */
import { type LockKeeper, type LockState } from '../../../src/app/locks/lock-keeper.ts'
import type { MarkClaim } from '../../../src/store/store.ts'
import { ManualClock } from '../../../src/testing/index.ts'
import { seededRandom } from '../../core/schedule/seeded-random.ts'
import { MemoryLog } from './memory-log.ts'

export const second = 1_000
export const minute = 60_000
export const t0 = Date.UTC(2026, 0, 1)

export interface Tick {
  readonly taskId: string
  readonly scheduleTime: Date
}

const periods: Readonly<Record<string, number>> = {
  mail: 20 * second,
  report: 45 * second,
  sync: 61 * second,
}

export function keyOf({ taskId, scheduleTime }: Tick): string {
  return `${taskId}:${scheduleTime.toISOString()}`
}

/** Both included, oldest first. */
export function ticksBetween(from: number, to: number): Tick[] {
  const ticks: Tick[] = []
  for (const [taskId, every] of Object.entries(periods)) {
    for (let at = Math.ceil(from / every) * every; at <= to; at += every) {
      ticks.push({ taskId, scheduleTime: new Date(at) })
    }
  }
  return ticks.toSorted((a, b) => a.scheduleTime.getTime() - b.scheduleTime.getTime())
}

export class World {
  readonly clock = new ManualClock(t0)
  readonly log = new MemoryLog()
  /** What was pushed, in order. */
  readonly queue: string[] = []
  readonly random: () => number
  readonly locks: LockKeeper
  readonly #held = new Map<string, { owner: string; token: string; fence: number; until: number }>()
  readonly #marks = new Map<string, { by: number; enqueued: boolean }>()
  #fence = 0

  constructor(seed: number) {
    const dice = seededRandom(seed)
    this.random = () => dice.below(2 ** 32) / 2 ** 32
    this.locks = this.#keeper()
  }

  claim(mark: string, fence: number): MarkClaim {
    const found = this.#marks.get(mark)
    if (found?.enqueued === true) return 'enqueued'
    if (found !== undefined && found.by > fence) return 'stale'
    this.#marks.set(mark, { by: fence, enqueued: false })
    return found === undefined ? 'claimed' : 'repeated'
  }

  finish(mark: string, fence: number): boolean {
    const found = this.#marks.get(mark)
    if (found?.by !== fence) return false
    found.enqueued = true
    return true
  }

  /** A queue that can tell whether it has a key, but that looks only where it is told that this may be a repeat. */
  push(key: string, repeat: boolean): void {
    if (!repeat || !this.queue.includes(key)) this.queue.push(key)
  }

  between(from: number, to: number): number {
    return from + this.random() * (to - from)
  }

  /** Runs whatever falls due until then, one event at a time. */
  async passUntil(instant: number): Promise<void> {
    await settled()
    for (let at = this.clock.nextTimerAt(); at !== null && at <= instant; at = this.clock.nextTimerAt()) {
      this.clock.moveTo(at)
      await settled()
    }
    this.clock.moveTo(instant)
    await settled()
  }

  #keeper(): LockKeeper {
    const free = (name: string) => (this.#held.get(name)?.until ?? 0) <= this.clock.now()
    return {
      acquire: (name, owner, token, ttlMs) => {
        if (!free(name)) return Promise.resolve(null)
        this.#fence += 1
        this.#held.set(name, { owner, token, fence: this.#fence, until: this.clock.now() + ttlMs })
        return Promise.resolve({ fence: this.#fence })
      },
      extend: (name, token, ttlMs) => {
        const held = this.#held.get(name)
        if (held?.token !== token || free(name)) return Promise.resolve(false)
        held.until = this.clock.now() + ttlMs
        return Promise.resolve(true)
      },
      release: (name, token) =>
        Promise.resolve(this.#held.get(name)?.token === token && this.#held.delete(name)),
      read: () => Promise.resolve<LockState | null>(null),
    }
  }
}

/** Everything in this world is promises and this clock: after one turn, nothing is left to do. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
