/** Runs for leader in Evertick's database: takes a lead that is free, that has run out, or that stands still. */
import type { LeaderTerm } from '../core/leader/term.ts'
import type { CurrentLeader, Store } from '../store/store.ts'
import type { Clock } from './clock.ts'
import { Standstill } from './standstill.ts'

export interface Candidacy {
  /** The new term, where this node was elected. */
  readonly term: LeaderTerm | null
  /** Who leads instead. Null also where somebody else was quicker. */
  readonly leader: CurrentLeader | null
}

export class Candidate {
  readonly #store: Store
  readonly #nodeId: string
  readonly #leaseMs: number
  readonly #standstill: Standstill

  constructor(store: Store, clock: Clock, nodeId: string, leaseMs: number) {
    this.#store = store
    this.#nodeId = nodeId
    this.#leaseMs = leaseMs
    this.#standstill = new Standstill(clock)
  }

  async run(now: number): Promise<Candidacy> {
    // A look before the try: only a free or expired lock is worth a write.
    const leader = await this.#store.cluster.currentLeader()
    const ahead = leader !== null && leader.expiresAt > now ? [leader] : []
    const look = ({ termId, expiresAt }: CurrentLeader) => `${termId}:${expiresAt}`
    const [silent] = this.#standstill.still(ahead, look, leader?.leaseMs ?? 0)
    if (ahead.length > 0 && silent === undefined) return { term: null, leader }
    const term = await this.#store.cluster.electLeader({
      nodeId: this.#nodeId,
      now,
      leaseMs: this.#leaseMs,
      silent,
    })
    return { term, leader: null }
  }
}
