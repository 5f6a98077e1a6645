/** A node of the cluster through all its lives: booted, killed, frozen, stopped, and booted again. */
import { Evertick } from '../../../src/evertick.ts'
import type { JobOptions, Logger } from '../../../src/index.ts'
import { Violation } from '../check/violation.ts'
import type { NodePlan, Plan } from '../plan/plan.ts'
import type { Faults } from './faults.ts'
import { type Audience, handlerFor } from './handlers.ts'
import { Life } from './life.ts'
import type { Random } from './random.ts'
import type { Event, Owner, Timeline } from './timeline.ts'

export interface MemberParts {
  readonly plan: Plan
  /** Newer code than the plan's, by job. */
  readonly deployed: ReadonlyMap<string, JobOptions>
  readonly database: string
  readonly timeline: Timeline
  readonly random: Random
  readonly faults: Faults
  readonly audience: Audience
  /** Whoever owns what happens to nodes. */
  readonly nature: Owner
  readonly born: (life: Life) => void
  readonly say: (line: string) => void
  /** Breaks the history off. */
  readonly fail: (violation: unknown) => void
}

/** A supervisor starts again what could not start. */
const bootAgainMs = 1_000
/** Patience with a stop, beyond what its handlers are given. */
const stopPatienceMs = 180_000
const stopMs = 2_000

export class MemberNode {
  readonly index: number
  readonly #around: MemberParts
  readonly #plan: NodePlan
  #lives = 0
  #nextBoot: Event | null = null
  #life: Life | null = null
  #evertick: Evertick | null = null
  /** Whether its supervisor still wants it to run. */
  wanted = true

  constructor(index: number, plan: NodePlan, around: MemberParts) {
    this.index = index
    this.#plan = plan
    this.#around = around
  }

  get name(): string {
    return `n${this.index + 1}`
  }

  get life(): Life | null {
    return this.#life
  }

  /** For operators; null where it does not run. */
  get evertick(): Evertick | null {
    return this.#life?.fate === 'alive' && !this.#life.stopping ? this.#evertick : null
  }

  boot(): void {
    if (!this.wanted || this.#life !== null) return
    const { plan, timeline, random, born, say } = this.#around
    this.#lives += 1
    const nodeId = `${this.name}.${this.#lives}`
    const { longestSleepMs } = plan.timing
    const life = new Life(nodeId, timeline, random.fork(nodeId), this.#plan.clock, longestSleepMs)
    this.#life = life
    born(life)
    say(`${nodeId} starts`)
    timeline.after(0, life, () => void this.#start(life))
  }

  async #start(life: Life): Promise<void> {
    const { plan, deployed, database, faults, audience, say } = this.#around
    const { timing } = plan
    const here = plan.jobs.filter(({ name }) => name !== this.#plan.lacks)
    const jobs = here.map((job) =>
      handlerFor(job, deployed.get(job.name) ?? job.options, plan.seed, life, audience),
    )
    try {
      this.#evertick = await Evertick.openWith(
        {
          database,
          jobs,
          roles: this.#plan.roles,
          queues: { default: { concurrency: this.#plan.concurrency } },
          worker: { lease: timing.workerLeaseMs },
          leader: { lease: timing.leaderLeaseMs, heartbeat: timing.heartbeatMs },
          catchUpRate: timing.catchUpRate,
          clock: life.clock,
          logger: loggerOf(life, say),
          nodeId: life.nodeId,
        },
        {
          newId: life.newId,
          host: life.host,
          wrap: (store) => faults.wrap(store, life, this.index),
        },
      )
      await this.#evertick.start()
    } catch (error) {
      say(`${life.nodeId} could not start: ${(error as Error).message}`)
      this.#bury(life)
      this.#bootAfter(bootAgainMs)
    }
  }

  crash(forMs: number): boolean {
    const life = this.#life
    if (life === null) return false
    this.#around.say(`${life.nodeId} is killed`)
    this.#bury(life)
    this.#bootAfter(forMs)
    return true
  }

  freeze(forMs: number): void {
    const life = this.#life
    if (life === null || life.fate !== 'alive') return
    this.#around.say(`${life.nodeId} freezes for ${forMs} ms`)
    life.freeze()
    this.#later(forMs, () => this.thaw())
  }

  thaw(): void {
    if (this.#life?.fate !== 'frozen') return
    this.#around.say(`${this.#life.nodeId} wakes`)
    this.#life.thaw()
  }

  /** Gracefully; it comes back after `forMs`, if it is still wanted. */
  stop(forMs: number): void {
    const { timeline, nature, say, fail } = this.#around
    const life = this.#life
    const evertick = this.evertick
    if (life === null || evertick === null) return
    life.stopping = true
    say(`${life.nodeId} is asked to stop`)
    timeline.after(0, life, () => void this.#stop(life, evertick, forMs))
    timeline.after(stopMs + stopPatienceMs, nature, () => {
      if (life.fate === 'alive' && life.troubledAt < timeline.now - stopPatienceMs)
        fail(new Violation('a stop ends', `${life.nodeId} has not stopped after ${stopPatienceMs / 1_000} s`))
    })
  }

  async #stop(life: Life, evertick: Evertick, forMs: number): Promise<void> {
    try {
      await evertick.stop({ timeout: stopMs })
      this.#around.say(`${life.nodeId} has stopped`)
      await this.#turnsLater()
      this.#checkNothingLeft(life)
    } catch (error) {
      this.#around.fail(error)
    }
    this.#bury(life)
    this.#bootAfter(forMs)
  }

  /** What was in the middle of a turn has ended by then. */
  async #turnsLater(): Promise<void> {
    const { timeline, nature } = this.#around
    await new Promise<void>((resolve) => timeline.after(1, nature, resolve))
  }

  #checkNothingLeft(life: Life): void {
    const { timeline, fail } = this.#around
    const left = {
      timers: timeline.pending(life) - life.naps - life.travelling,
      connections: life.connections,
      calls: Math.max(life.inFlight.size - life.travelling, 0),
    }
    if (left.timers + left.connections + left.calls > 0)
      fail(new Violation('a stop leaves nothing behind', `${life.nodeId} left ${JSON.stringify(left)}`))
  }

  #bury(life: Life): void {
    life.end()
    if (this.#life !== life) return
    this.#life = null
    this.#evertick = null
  }

  /** The last word on when it comes back holds. */
  #bootAfter(ms: number): void {
    if (this.#nextBoot !== null) this.#nextBoot.run = null
    this.#nextBoot = this.#later(ms, () => this.boot())
  }

  #later(ms: number, what: () => void): Event {
    return this.#around.timeline.after(ms, this.#around.nature, what)
  }
}

function loggerOf(life: Life, say: (line: string) => void): Logger {
  const write = (message: string, details?: object) => {
    const { error } = (details ?? {}) as { error?: Error }
    say(`${life.nodeId} says: ${message}${error === undefined ? '' : ` (${error.message})`}`)
  }
  return { debug: () => {}, info: write, warn: write, error: write }
}
