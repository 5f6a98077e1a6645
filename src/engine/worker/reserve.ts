/**
 * What a worker has claimed ahead of its free slots, in the order in which it will begin. One mark says that all up to a
 * place have begun, before the first of them does: a crash then counts what had begun, and nothing else.
 */
import type { ClaimedExecution } from '../../store/store.ts'
import type { EngineContext } from '../context.ts'
import { Batcher } from './batcher.ts'
import type { Finisher } from './finisher.ts'
import type { Held } from './held.ts'

export interface Reserved {
  readonly claim: ClaimedExecution
  readonly held: Held
}

interface Placed {
  readonly id: string
  readonly fence: number
  readonly claim: ClaimedExecution
  readonly place: number
}

export class Reserve {
  readonly #context: EngineContext
  readonly #queue: string
  readonly #finisher: Finisher
  readonly #marks: Batcher<Placed>
  /** In the order of their places. */
  #waiting: Reserved[] = []
  /** What is not due yet, in the order of their places. */
  #upcoming: Reserved[] = []
  /** Null until the count is opened, and again once somebody has taken something out of the reserve. */
  #turn: number | null = null
  #nextPlace = 1
  /** The first place that was claimed under the turn. */
  #firstPlace = 1
  /** Starts that are being written row by row. A mark that passed them would say that they have begun. */
  #alone = 0

  constructor(context: EngineContext, queue: string, finisher: Finisher) {
    this.#context = context
    this.#queue = queue
    this.#finisher = finisher
    this.#marks = new Batcher(context, (placed) => this.#mark(placed))
  }

  /** What may begin now. */
  get size(): number {
    return this.#waiting.length
  }

  get upcoming(): number {
    return this.#upcoming.length
  }

  /** When the next of what is not due yet will be. */
  get ripeAt(): number {
    return this.#upcoming.reduce((at, { claim }) => Math.min(at, claim.readyAt), Number.POSITIVE_INFINITY)
  }

  /** What has become due by then may begin. */
  ripen(dueBy: number): void {
    if (this.ripeAt > dueBy) return
    const [ripe, rest] = [this.#upcoming.filter(isDue), this.#upcoming.filter((one) => !isDue(one))]
    this.#upcoming = rest
    this.#waiting = [...this.#waiting, ...ripe].sort((a, b) => (a.claim.place ?? 0) - (b.claim.place ?? 0))

    function isDue({ claim }: Reserved): boolean {
      return claim.readyAt <= dueBy
    }
  }

  /** Where the next claim's places begin. */
  async open(): Promise<number> {
    if (this.#turn === null) {
      const { store, nodeId, clock } = this.#context
      const { turn, fromPlace } = await store.work.openReserve({ nodeId, queue: this.#queue }, clock.now())
      this.#nextPlace = fromPlace
      this.#firstPlace = fromPlace
      this.#turn = turn
    }
    return this.#nextPlace
  }

  /**
   * Somebody has taken something out, or a call is unclear: a claim of which nobody has heard may hold the next places. From
   * now on each row decides for itself, until the count is opened again.
   */
  giveUpCount(): void {
    this.#turn = null
    this.#firstPlace = Number.POSITIVE_INFINITY
  }

  add(reserved: Reserved, dueBy: number): void {
    const { place, readyAt } = reserved.claim
    if (place !== null) this.#nextPlace = Math.max(this.#nextPlace, place + 1)
    if (readyAt <= dueBy) this.#waiting.push(reserved)
    else this.#upcoming.push(reserved)
  }

  take(): Reserved | undefined {
    return this.#waiting.shift()
  }

  takeAll(): Reserved[] {
    return [...this.#waiting.splice(0), ...this.#upcoming.splice(0)]
  }

  /** Just before its handler: false where the reservation is no longer ours. */
  async begin({ claim }: Reserved): Promise<boolean> {
    const { id, fence, place } = claim
    if (place !== null && this.#isNext(place) && this.#alone === 0 && mayBeginByPlace(claim))
      return await this.#marks.add({ id, fence, claim, place })
    return await this.#beginAlone(claim)
  }

  /** A mark says that all before it have begun, too. */
  #isNext(place: number): boolean {
    const firstUpcoming = this.#upcoming[0]?.claim.place ?? Number.POSITIVE_INFINITY
    return place >= this.#firstPlace && place < firstUpcoming
  }

  async #beginAlone(claim: ClaimedExecution): Promise<boolean> {
    this.#alone += 1
    try {
      return await this.#finisher.begin(claim)
    } finally {
      this.#alone -= 1
    }
  }

  /** The ids of those that must not begin. */
  async #mark(placed: readonly Placed[]): Promise<ReadonlySet<string>> {
    // Some may have waited here while the count was given up and opened again.
    const counted = placed.filter(({ place }) => place >= this.#firstPlace)
    const begun = counted.length > 0 && (await this.#markUpTo(counted.at(-1)?.place ?? 0))
    const others = begun ? placed.filter((one) => !counted.includes(one)) : placed
    const ours = await Promise.all(others.map(({ claim }) => this.#beginAlone(claim)))
    return new Set(others.filter((_, index) => ours[index] !== true).map(({ id }) => id))
  }

  async #markUpTo(upTo: number): Promise<boolean> {
    const { store, nodeId, clock, logger } = this.#context
    const turn = this.#turn
    try {
      const now = clock.now()
      if (turn !== null && (await store.work.beginReserved({ nodeId, queue: this.#queue, turn, upTo, now })))
        return true
    } catch (error) {
      logger.warn('Could not mark the starts in one write; marking each', { error })
    }
    this.giveUpCount()
    return false
  }
}

/**
 * Enqueued work and ticks. What has a deadline must meet it, and what may never run twice must be on disk as started: those
 * ask their own rows.
 */
function mayBeginByPlace({ cause, startBy, spec }: ClaimedExecution): boolean {
  return (cause === 'enqueue' || cause === 'schedule') && startBy === null && spec.onCrash === 'retry'
}
