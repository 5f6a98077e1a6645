/**
 * Runs for leader in Evertick's database: takes a lead that is free, that has run out, that stands still, or whose holder has
 * died. What a candidate believes of the holder decides only when it tries: the lead is taken as it was seen, or not at all,
 * and its fence refuses whoever is not dead after all.
 */
import type { LeaderTerm } from '../core/leader/term.ts'
import type { CurrentLeader, Store } from '../store/store.ts'
import type { Clock } from './clock.ts'
import { Standstill } from './standstill.ts'

export interface Candidacy {
  /** The new term, where this node was elected. */
  readonly term: LeaderTerm | null
  /** Who leads instead. Null also where somebody else was quicker. */
  readonly leader: CurrentLeader | null
  /** Whose lease had not run out, where its lifeline was cut. */
  readonly early: CurrentLeader | null
  /** When the next look is worth while, if sooner than usual. */
  readonly againMs: number | null
}

/** How often a waiting node looks at the leader's lifeline. */
const lookMs = 1_000
/** A leader that lives and has only lost its connection says so within this time, by a renewal. */
const graceMs = 500

export class Candidate {
  readonly #store: Store
  readonly #clock: Clock
  readonly #nodeId: string
  readonly #leaseMs: number
  readonly #standstill: Standstill
  /** The lead as it was when its lifeline was first found cut, and when that was. */
  #cut: { readonly look: string; readonly since: number } | null = null

  constructor(store: Store, clock: Clock, nodeId: string, leaseMs: number) {
    this.#store = store
    this.#clock = clock
    this.#nodeId = nodeId
    this.#leaseMs = leaseMs
    this.#standstill = new Standstill(clock)
  }

  async run(now: number): Promise<Candidacy> {
    // A look before the try: only a lead that may be had is worth a write.
    const leader = await this.#store.cluster.currentLeader()
    const ahead = leader !== null && leader.expiresAt > now ? [leader] : []
    const [silent] = this.#standstill.still(ahead, lookOf, leader?.leaseMs ?? 0)
    const [leading] = silent === undefined ? ahead : []
    const cutMs = leading === undefined ? null : await this.#cutMs(leading)
    if (leading !== undefined && (cutMs === null || cutMs < graceMs)) {
      const againMs = leading.lifeline === null ? null : cutMs === null ? lookMs : graceMs - cutMs
      return { term: null, leader: leading, early: null, againMs }
    }
    const term = await this.#store.cluster.electLeader({
      nodeId: this.#nodeId,
      now,
      leaseMs: this.#leaseMs,
      abandoned: silent ?? leading,
    })
    return { term, leader: null, early: leading ?? null, againMs: null }
  }

  /** For how long the lead has been seen unchanged and with its lifeline cut; null where it is not, or nobody can tell. */
  async #cutMs(leader: CurrentLeader): Promise<number | null> {
    const isCut =
      leader.lifeline !== null && (await this.#store.cluster.checkLifeline(leader.lifeline)) === 'free'
    if (!isCut) {
      this.#cut = null
      return null
    }
    const now = this.#clock.monotonic()
    const look = lookOf(leader)
    if (this.#cut?.look !== look) this.#cut = { look, since: now }
    return now - this.#cut.since
  }
}

function lookOf({ termId, expiresAt, lifeline }: CurrentLeader): string {
  return `${termId}:${expiresAt}:${lifeline}`
}
