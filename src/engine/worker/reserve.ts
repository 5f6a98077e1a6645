/**
 * What a worker has claimed ahead of its free slots, in the order in which it will begin. One mark says that all up to a
 * place have begun, before the first of them does: a crash then counts what had begun, and nothing else.
 */
import type { ClaimedExecution } from '../../store/store.ts'
import type { EngineContext } from '../context.ts'
import { Batcher, type Settle } from './batcher.ts'
import type { Finisher } from './finisher.ts'
import type { Held } from './held.ts'

export interface Reserved {
  readonly claim: ClaimedExecution
  readonly held: Held
}

export class Reserve {
  readonly #context: EngineContext
  readonly #queue: string
  readonly #finisher: Finisher
  readonly #marks: Batcher<ClaimedExecution>
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
    this.#marks = new Batcher(context, (claims) => this.#mark(claims))
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
      const reserve = { nodeId, queue: this.#queue, nextPlace: this.#nextPlace }
      const { turn, fromPlace } = await store.work.openReserve(reserve, clock.now())
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
  begin(claim: ClaimedExecution, settle: Settle): void {
    const { place } = claim
    if (place !== null && this.#isNext(place) && this.#alone === 0 && mayBeginByPlace(claim))
      this.#marks.add(claim, settle)
    else this.#beginAlone(claim, settle)
  }

  /** A mark says that all before it have begun, too. */
  #isNext(place: number): boolean {
    const firstUpcoming = this.#upcoming[0]?.claim.place ?? Number.POSITIVE_INFINITY
    return place >= this.#firstPlace && place < firstUpcoming
  }

  #beginAlone(claim: ClaimedExecution, settle: Settle): void {
    this.#alone += 1
    this.#finisher.begin(claim, (ours) => {
      this.#alone -= 1
      // First all of the batch are counted: what one of them makes room for may begin by its place again.
      queueMicrotask(() => settle(ours))
    })
  }

  /** The ids of those that must not begin. */
  async #mark(claims: readonly ClaimedExecution[]): Promise<ReadonlySet<string>> {
    // Some may have waited here while the count was given up and opened again.
    const first = this.#firstPlace
    const isCounted = ({ place }: ClaimedExecution) => place !== null && place >= first
    const last = claims.findLast(isCounted)
    const begun = last !== undefined && (await this.#markUpTo(last.place ?? 0))
    const others = begun ? claims.filter((claim) => !isCounted(claim)) : claims
    const refused = new Set<string>()
    await Promise.all(
      others.map(
        (claim) =>
          new Promise<void>((resolve) =>
            this.#beginAlone(claim, (ours) => {
              if (!ours) refused.add(claim.id)
              resolve()
            }),
          ),
      ),
    )
    return refused
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
