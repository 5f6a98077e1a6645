/**
 * One life of a node: the process as Evertick sees it, with its turns, naps, dice, clock and connections. A crash ends it
 * between two instructions: nothing of it happens any more, and its connections close as the kernel would close them.
 */
import { DatabaseSync } from 'node:sqlite'
import { idSource, type NewId } from '../../../src/app/ids.ts'
import type { Host } from '../../../src/store/host.ts'
import type { Member } from '../check/scene.ts'
import { type ClockPlan, NodeClock } from './node-clock.ts'
import type { Random } from './random.ts'
import type { Owner, Timeline } from './timeline.ts'

/** A call that takes longer than this is trouble enough to lose a lease by. */
export const slowMs = 250

export class Life implements Member, Owner {
  readonly nodeId: string
  readonly clock: NodeClock
  readonly host: Host
  readonly newId: NewId
  fate: Member['fate'] = 'alive'
  stopping = false
  /** Under way, or lost on their way: a second operator may ask before the first has an answer. */
  stepDowns = 0
  #troubledAt = Number.NEGATIVE_INFINITY
  /** Waits of handlers, operators and the network: not Evertick's to end. */
  naps = 0
  /** Calls of the store that are on their way, or hang: who made them may be a handler that was given up. */
  travelling = 0
  /** Calls of the store under way: how each would fail, and since when it runs. */
  readonly inFlight = new Map<(error: Error) => void, number>()
  readonly #timeline: Timeline
  readonly #connections = new Set<DatabaseSync>()

  constructor(nodeId: string, timeline: Timeline, random: Random, clock: ClockPlan, longestSleepMs: number) {
    this.nodeId = nodeId
    this.#timeline = timeline
    this.clock = new NodeClock(timeline, this, clock, longestSleepMs)
    const bytes = random.fork('ids')
    this.newId = idSource((pool) => bytes.fill(pool))
    this.host = {
      // A turn of the event loop takes its while.
      defer: (callback) => void timeline.after(0.01 + random.next() * 0.2, this, callback),
      rest: () => new Promise((resolve) => this.host.defer(resolve)),
      sleep: (ms) => this.clock.sleep(ms),
      timer: (ms, callback) => this.clock.timer(ms, callback),
      monotonic: () => this.clock.monotonic(),
      random: () => random.next(),
    }
    lives.set(this, this.#connections)
  }

  get name(): string {
    return this.nodeId
  }

  get steppingDown(): boolean {
    return this.stepDowns > 0
  }

  get connections(): number {
    return [...this.#connections].filter((connection) => connection.isOpen).length
  }

  async nap(ms: number, signal?: AbortSignal): Promise<void> {
    this.naps += 1
    await this.clock.sleep(ms, signal)
    this.naps -= 1
  }

  trouble(): void {
    this.#troubledAt = this.#timeline.now
  }

  get troubledAt(): number {
    const [oldest] = this.inFlight.values()
    const { now } = this.#timeline
    return oldest !== undefined && now - oldest > slowMs ? now : this.#troubledAt
  }

  freeze(): void {
    if (this.fate === 'alive') this.fate = 'frozen'
  }

  thaw(): void {
    if (this.fate !== 'frozen') return
    this.fate = 'alive'
    this.trouble()
    this.#timeline.thaw(this)
  }

  /** Also after a stop, when nothing should be left to close. */
  end(): void {
    this.fate = 'dead'
    for (const connection of this.#connections) if (connection.isOpen) connection.close()
    this.#connections.clear()
    this.inFlight.clear()
    lives.delete(this)
  }
}

const lives = new Map<Owner, Set<DatabaseSync>>()
let opening: () => Owner | null = () => null

/** Whoever runs while a connection is opened owns it, as a process owns its file handles. */
export function watchConnections(current: () => Owner | null): void {
  opening = current
}

const plainExec: (this: DatabaseSync, sql: string) => void = Reflect.get(DatabaseSync.prototype, 'exec')
DatabaseSync.prototype.exec = function exec(sql) {
  const owner = opening()
  const connections = owner === null ? undefined : lives.get(owner)
  if (connections !== undefined && !connections.has(this)) {
    connections.add(this)
    // For the change log: who writes.
    this.function('sim_writer', () => owner?.name ?? null)
  }
  return plainExec.call(this, sql)
}
