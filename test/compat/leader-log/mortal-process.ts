/** A process that may die at any moment: from then on its timers are silent, and what it asked is never answered. */
import { waitForLock } from '../../../src/app/locks/held-lock.ts'
import type { LockKeeper } from '../../../src/app/locks/lock-keeper.ts'
import type { TakeLock } from '../../../src/compat/leader-log/seat.ts'
import type { Clock, SchedulerLeaderLogModel } from '../../../src/index.ts'
import { type Tick, ticksBetween, type World } from './failover-world.ts'

const slowestMs = 400
const timersAheadMs = 10_000

export class MortalProcess {
  readonly name: string
  readonly world: World
  readonly clock: Clock
  alive = true
  #tokens = 0
  /** It dies at this many calls from now. */
  #callsLeft = Number.POSITIVE_INFINITY
  /** How often a call fails, with or without having done its work. */
  troubled = 0

  constructor(name: string, world: World) {
    this.name = name
    this.world = world
    const { clock } = world
    const timer = (ms: number, callback: () => void) => clock.timer(ms, () => this.alive && callback())
    this.clock = {
      longestSleepMs: clock.longestSleepMs,
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      timer,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          const cancel = timer(ms, resolve)
          signal?.addEventListener('abort', () => (cancel(), resolve()), { once: true })
        }),
    }
  }

  die(): void {
    this.alive = false
  }

  dieAtCall(calls: number): void {
    this.#callsLeft = calls
  }

  /** A call to something outside. */
  async call<T>(work: () => T | Promise<T>): Promise<T> {
    const { world } = this
    await this.#passes()
    this.#callsLeft -= 1
    const before = world.random() < 0.5
    if (this.#callsLeft <= 0 && before) this.die()
    await this.#passes()
    const fails = world.random() < this.troubled
    if (fails && before) throw new Error('no connection')
    const done = await work()
    if (this.#callsLeft <= 0) this.die()
    if (fails) throw new Error('no answer')
    await this.#passes()
    return done
  }

  /** What node-schedule does: a timer for each tick, a little late. */
  async watchTicks(onTick: (tick: Tick) => unknown): Promise<void> {
    for (let from = Math.floor(this.clock.now()); this.alive; from += timersAheadMs) {
      for (const tick of ticksBetween(from + 1, from + timersAheadMs)) {
        const late = tick.scheduleTime.getTime() - this.clock.now() + this.world.between(0, 900)
        this.clock.timer(late, () => void onTick(tick))
      }
      await this.clock.sleep(timersAheadMs)
    }
  }

  get takeLock(): TakeLock {
    const { locks } = this.world
    const keeper: LockKeeper = {
      acquire: (...args) => this.call(() => locks.acquire(...args)),
      extend: (...args) => this.call(() => locks.extend(...args)),
      release: (...args) => this.call(() => locks.release(...args)),
      read: (...args) => this.call(() => locks.read(...args)),
    }
    return (name, ttlMs) => {
      this.#tokens += 1
      const token = `${this.name}/${this.#tokens}`
      const request = { name, owner: this.name, token, ttlMs, waitMs: 0, pauseMs: () => 0, signal: undefined }
      return waitForLock(keeper, this.clock, request)
    }
  }

  get log(): SchedulerLeaderLogModel {
    const { log } = this.world
    return {
      insert: (data) => this.call(() => log.insert(data)),
      update: (criteria, data) => this.call(() => log.update(criteria, data)),
      findOne: (criteria) => this.call(() => log.findOne(criteria)),
      find: (criteria, options) => this.call(() => log.find(criteria, options)),
    }
  }

  async #passes(): Promise<void> {
    await this.clock.sleep(this.world.between(0, slowestMs))
    if (!this.alive) await new Promise(() => {})
  }
}
