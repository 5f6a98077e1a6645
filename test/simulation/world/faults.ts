/**
 * Stands between a node and its store: every call may take its time, be refused, be done with its reply lost, hang until
 * somebody gives up, or die with its connection.
 */
import { EvertickError } from '../../../src/core/error.ts'
import { noLifelines } from '../../../src/store/lifeline.ts'
import type { Store } from '../../../src/store/store.ts'
import { wrapVerbs } from '../../../src/store/wrap-store.ts'
import type { Weather } from '../plan/plan.ts'
import { type Life, slowMs } from './life.ts'
import type { SimulatedLifelines } from './lifelines.ts'
import type { Random } from './random.ts'
import type { Timeline } from './timeline.ts'

export type Fate = 'fine' | 'refused' | 'reply_lost' | 'hang' | 'down' | 'full'

/** The state of the world between nodes and database. */
export interface Sky {
  weather: Weather
  downUntil: number
  fullUntil: number
  /** By node. */
  readonly cutOffUntil: Map<number, number>
}

export interface Witness {
  /** The store has done it; nobody has heard of it yet. */
  readonly answered: (verb: string, args: readonly unknown[], result: unknown) => void
  readonly failed: (error: unknown) => void
  readonly fault: (life: Life, verb: string, fate: Fate) => void
}

/** A call of the store by a node. */
interface Call {
  readonly life: Life
  readonly node: number
  readonly verb: string
  readonly args: readonly unknown[]
  readonly inner: () => Promise<unknown>
}

const reads = new Set([
  'ping',
  'changes',
  'findDueJobs',
  'findCancelRequests',
  'currentLeader',
  'checkLifeline',
  'jobsChangedSince',
])
const isRead = (verb: string) => reads.has(verb) || verb.startsWith('find') || verb.startsWith('list')

export class Faults {
  readonly #timeline: Timeline
  readonly #random: Random
  readonly #sky: Sky
  readonly #witness: Witness
  readonly #lifelines: SimulatedLifelines | null

  constructor(
    timeline: Timeline,
    random: Random,
    sky: Sky,
    witness: Witness,
    lifelines: SimulatedLifelines | null,
  ) {
    this.#lifelines = lifelines
    this.#timeline = timeline
    this.#random = random
    this.#sky = sky
    this.#witness = witness
  }

  wrap(store: Store, life: Life, node: number): Store {
    const lifelines = this.#lifelines?.of(life, node) ?? noLifelines
    const tied: Store = {
      ...store,
      holdLifeline: (onChange) => lifelines.hold(onChange),
      cluster: { ...store.cluster, checkLifeline: (name) => lifelines.check(name) },
    }
    // Behind a connection that is gone there is no network, and no weather.
    let isCut = false
    const wrapped = wrapVerbs(tied, ({ verb, args, run }) =>
      isCut ? run() : this.#call({ life, node, verb, args, inner: run }),
    )
    const close = async (graceMs?: number) => {
      isCut ||= graceMs === 0
      void lifelines.close()
      await closeStore(store, life, graceMs)
    }
    return { ...wrapped, close }
  }

  async #call(call: Call): Promise<unknown> {
    const { life } = call
    let drop: (error: Error) => void = () => {}
    const dropped = new Promise<never>((_, reject) => {
      drop = reject
    })
    const askedAt = this.#timeline.now
    life.inFlight.set(drop, askedAt)
    try {
      return await Promise.race([this.#carry(call), dropped])
    } finally {
      if (this.#timeline.now - askedAt > slowMs) life.trouble()
      life.inFlight.delete(drop)
    }
  }

  async #carry({ life, node, verb, args, inner }: Call): Promise<unknown> {
    const fate = this.#draw(node, verb)
    if (fate !== 'fine') {
      life.trouble()
      this.#witness.fault(life, verb, fate)
    }
    await this.#travel(life)
    if (fate === 'hang') await this.#wait(life, this.#sky.weather.hangMs)
    if (fate !== 'fine' && fate !== 'reply_lost') throw errors[fate]()
    let result: unknown
    try {
      result = await inner()
    } catch (error) {
      this.#witness.failed(error)
      throw error
    }
    this.#witness.answered(verb, args, result)
    await this.#travel(life)
    if (fate === 'reply_lost') throw errors.reply_lost()
    return result
  }

  #draw(node: number, verb: string): Fate {
    const { weather, downUntil, fullUntil, cutOffUntil } = this.#sky
    const { now } = this.#timeline
    if (now < downUntil || now < (cutOffUntil.get(node) ?? 0)) return 'down'
    if (now < fullUntil && !isRead(verb)) return 'full'
    if (this.#random.chance(weather.refused)) return 'refused'
    if (this.#random.chance(weather.replyLost)) return 'reply_lost'
    if (this.#random.chance(weather.hang)) return 'hang'
    return 'fine'
  }

  async #travel(life: Life): Promise<void> {
    const { latencyMs } = this.#sky.weather
    if (latencyMs > 0) await this.#wait(life, this.#random.next() * latencyMs)
  }

  /** The network's time, not the node's. */
  async #wait(life: Life, ms: number): Promise<void> {
    life.travelling += 1
    await new Promise<void>((resolve) => this.#timeline.after(ms, life, resolve))
    life.travelling -= 1
  }
}

/** As the servers' drivers do it: with no grace, the connections are gone, and with them whatever hangs on one. */
async function closeStore(store: Store, life: Life, graceMs?: number): Promise<void> {
  if (graceMs === 0) for (const drop of life.inFlight.keys()) drop(dropped())
  await store.close(graceMs)
}

const errors: Readonly<Record<Exclude<Fate, 'fine'>, () => Error>> = {
  refused: () => new Error('simulated: the connection was refused'),
  down: () => new Error('simulated: the database is down'),
  hang: () => new Error('simulated: no answer; gave up'),
  reply_lost: () => new Error('simulated: the connection was lost before the reply'),
  full: () => new EvertickError('database_full', 'simulated: the disk is full'),
}

export const dropped = (): Error => new Error('simulated: the connection dropped')
