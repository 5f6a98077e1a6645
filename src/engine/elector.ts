/**
 * Leadership: one node decides about ticks. It takes the leader's lock, renews it, and in any doubt stops deciding before
 * its lease ends. The fence in the store, not this belief, is what keeps two leaders apart.
 */
import type { LeaderTerm } from '../core/leader/term.ts'
import type { CurrentLeader, Lifeline } from '../store/store.ts'
import { Candidate } from './candidate.ts'
import type { EngineContext } from './context.ts'
import { LeaseEnd } from './lease-end.ts'
import { Alarm, Service } from './service.ts'

export interface ElectorOptions {
  readonly leaseMs: number
  readonly heartbeatMs: number
}

export class Elector extends Service {
  readonly #context: EngineContext
  readonly #options: ElectorOptions
  readonly #alarm: Alarm
  readonly #onElected: () => void
  readonly #candidate: Candidate
  /** A renewal may hang for longer than the lease lasts: whoever listens hears of its end when it comes. */
  readonly #end: LeaseEnd
  /** What this node was elected for. It stays where the lease is over: a renewal that comes late may go on with it. */
  #held: LeaderTerm | null = null
  /** Listeners know that this node leads; they hear of the end before another node can be elected. */
  #told = false
  /** A call whose outcome nobody knows: the lock may be this node's, whatever it believes. */
  #unclear = false
  #standBackUntil = 0
  /** While this node leads: however its process dies, others find it free. */
  #lifeline: Lifeline | null = null
  /** What others find it by, at present. */
  #lifelineName: string | null = null
  #toldWaiting = false

  constructor(context: EngineContext, options: ElectorOptions, onElected: () => void) {
    super()
    const { store, clock, nodeId } = context
    this.#context = context
    this.#options = options
    this.#alarm = new Alarm(clock)
    this.#candidate = new Candidate(store, clock, nodeId, options.leaseMs)
    this.#end = new LeaseEnd(clock, () => this.#tellLost(this.#held))
    this.#onElected = onElected
  }

  /** The term in which this node may decide now, or null. */
  term(): LeaderTerm | null {
    return this.#end.isOver ? null : this.#held
  }

  /** Something was written elsewhere: perhaps the leader has stepped down. */
  wake(): void {
    if (this.#held === null) this.#alarm.ring()
  }

  /** Somebody found that this term is over. A late caller may find that this node leads again, in another term. */
  doubt(termId: number): void {
    if (this.#held?.id === termId) this.#lose()
    this.#alarm.ring()
  }

  /** Gives up leadership, and does not try again for the length of a lease. */
  async stepDown(): Promise<boolean> {
    const held = this.#held
    if (held === null) return false
    this.#lose()
    const now = this.#context.clock.now()
    this.#standBackUntil = now + this.#options.leaseMs
    await this.#context.store.cluster.endTerm(held.id, this.#context.nodeId, now)
    return true
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let sooner: number | null = null
      if (this.#held === null) sooner = await this.#campaign()
      else await this.#renew()
      const { heartbeatMs } = this.#options
      await this.#alarm.wait(Math.min(sooner ?? heartbeatMs, heartbeatMs), signal)
    }
    try {
      if (!(await this.stepDown()) && this.#unclear) await this.#endWhatIsOurs()
    } catch (error) {
      // The lease runs out by itself; the next leader only waits a little longer.
      this.#context.logger.warn('Could not end the leader term on stop', { error })
    }
  }

  /** Else the next leader would wait for a lease that nobody uses, and the log would show a term without an end. */
  async #endWhatIsOurs(): Promise<void> {
    const { store, nodeId, clock } = this.#context
    const leader = await store.cluster.currentLeader()
    if (leader?.holder === nodeId) await store.cluster.endTerm(leader.termId, nodeId, clock.now())
  }

  /** Returns when another try is worth while, if sooner than usual. */
  async #campaign(): Promise<number | null> {
    const now = this.#context.clock.now()
    if (now < this.#standBackUntil) return null
    try {
      const { term, leader, early, againMs } = await this.#candidate.run(now)
      if (leader !== null) this.#tellWaiting(leader)
      if (term === null) return againMs
      if (early !== null) this.#context.logger.warn(earlyWords(early))
      this.#unclear = false
      this.#hold(term, now + this.#options.leaseMs)
    } catch (error) {
      this.#unclear = true
      this.#context.logger.warn('Could not try to become the leader', { error })
    }
    return null
  }

  /** Once until this node leads: whoever waits for ticks wants to know for whom, and how long at least. */
  #tellWaiting({ holder, expiresAt }: CurrentLeader): void {
    if (this.#toldWaiting) return
    this.#toldWaiting = true
    const until = new Date(expiresAt).toISOString()
    this.#context.logger.warn(`Waiting for the lead, held by ${holder} until ${until} unless it is renewed`)
  }

  async #renew(): Promise<void> {
    const { leaseMs } = this.#options
    const { nodeId } = this.#context
    const held = this.#held
    if (held === null) return
    const now = this.#context.clock.now()
    try {
      const ours = await this.#context.store.cluster.renewTerm({
        termId: held.id,
        holder: nodeId,
        now,
        leaseMs,
        lifeline: this.#lifelineName,
      })
      if (!ours) this.#lose()
      else if (this.#held !== null) this.#hold(held, now + leaseMs)
    } catch (error) {
      this.#context.logger.warn('Could not renew the leader term; stepping back', { error })
      this.#unclear = true
      this.#lose()
    }
  }

  /** The lease counts from before the call: its reply may have taken any time. */
  #hold(term: LeaderTerm, validUntil: number): void {
    if (this.term() === null) this.#tellLost(this.#held)
    this.#held = term
    this.#end.set({ now: validUntil })
    // A reply so late that the lease has run out again is followed by the next try at once.
    if (this.term() === null) return this.#alarm.ring()
    this.#lifeline ??= this.#context.store.holdLifeline((name) => {
      this.#lifelineName = name
      // Others must know at once: the next renewal names it, or none, before they take this node for dead.
      this.#alarm.ring()
    })
    if (this.#told) return
    this.#told = true
    this.#toldWaiting = false
    this.#context.logger.info(`Leading since term ${term.id}`)
    this.#context.events.emit('leader:elected', { termId: term.id, instance: this.#context.nodeId })
    // Whoever looked meanwhile found that this node does not lead, and sleeps.
    this.#onElected()
  }

  #lose(): void {
    const held = this.#held
    this.#held = null
    this.#tellLost(held)
    void this.#letGo()
  }

  /** Whoever no longer leads lets others find that out at once. */
  async #letGo(): Promise<void> {
    const lifeline = this.#lifeline
    this.#lifeline = null
    this.#lifelineName = null
    await lifeline?.release()
  }

  #tellLost(held: LeaderTerm | null): void {
    this.#end.clear()
    if (held === null || !this.#told) return
    this.#told = false
    this.#context.logger.info(`No longer leading (term ${held.id})`)
    this.#context.events.emit('leader:lost', { termId: held.id, instance: this.#context.nodeId })
  }
}

function earlyWords({ holder, expiresAt }: CurrentLeader): string {
  const until = new Date(expiresAt).toISOString()
  return `Taking the lead from ${holder} before its lease ends at ${until}: its lifeline is cut, so it has died, lost its connection or stepped back`
}
