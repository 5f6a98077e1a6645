/**
 * Leadership: one node decides about ticks. It takes the leader's lock, renews it, and in any doubt stops deciding before
 * its lease ends. The fence in the store, not this belief, is what keeps two leaders apart.
 */
import type { LeaderTerm } from '../core/leader/term.ts'
import type { CurrentLeader } from '../store/store.ts'
import type { EngineContext } from './context.ts'
import { Alarm, Service } from './service.ts'
import { Standstill } from './standstill.ts'

export interface ElectorOptions {
  readonly leaseMs: number
  readonly heartbeatMs: number
}

interface Leadership {
  readonly term: LeaderTerm
  readonly validUntil: number
}

export class Elector extends Service {
  readonly #context: EngineContext
  readonly #options: ElectorOptions
  readonly #alarm: Alarm
  readonly #onElected: () => void
  readonly #standstill: Standstill
  #leadership: Leadership | null = null
  /** Listeners know that this node leads; they hear of the end before another node can be elected. */
  #told = false
  #cancelEnd = () => {}
  /** A call whose outcome nobody knows: the lock may be this node's, whatever it believes. */
  #unclear = false
  #standBackUntil = 0
  #toldWaiting = false

  constructor(context: EngineContext, options: ElectorOptions, onElected: () => void) {
    super()
    this.#context = context
    this.#options = options
    this.#alarm = new Alarm(context.clock)
    this.#standstill = new Standstill(context.clock)
    this.#onElected = onElected
  }

  /** The term in which this node may decide now, or null. */
  term(): LeaderTerm | null {
    const held = this.#leadership
    return held !== null && this.#context.clock.now() < held.validUntil ? held.term : null
  }

  /** Something was written elsewhere: perhaps the leader has stepped down. */
  wake(): void {
    if (this.#leadership === null) this.#alarm.ring()
  }

  /** Somebody found that this term is over. A late caller may find that this node leads again, in another term. */
  doubt(termId: number): void {
    if (this.#leadership?.term.id === termId) this.#lose()
    this.#alarm.ring()
  }

  /** Gives up leadership, and does not try again for the length of a lease. */
  async stepDown(): Promise<boolean> {
    const held = this.#leadership
    if (held === null) return false
    this.#lose()
    const now = this.#context.clock.now()
    this.#standBackUntil = now + this.#options.leaseMs
    await this.#context.store.cluster.endTerm(held.term.id, this.#context.nodeId, now)
    return true
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#leadership === null) await this.#campaign()
      else await this.#renew()
      await this.#alarm.wait(this.#options.heartbeatMs, signal)
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

  async #campaign(): Promise<void> {
    const { leaseMs } = this.#options
    const { nodeId } = this.#context
    const now = this.#context.clock.now()
    if (now < this.#standBackUntil) return
    try {
      // A look before the try: only a free or expired lock is worth a write.
      const leader = await this.#context.store.cluster.currentLeader()
      const ahead = leader !== null && leader.expiresAt > now ? [leader] : []
      const look = ({ termId, expiresAt }: CurrentLeader) => `${termId}:${expiresAt}`
      const [silent] = this.#standstill.still(ahead, look, leader?.leaseMs ?? 0)
      if (leader !== null && ahead.length > 0 && silent === undefined) return this.#tellWaiting(leader)
      const term = await this.#context.store.cluster.electLeader({ nodeId, now, leaseMs, silent })
      if (term === null) return
      this.#unclear = false
      this.#hold(term, now + leaseMs)
    } catch (error) {
      this.#unclear = true
      this.#context.logger.warn('Could not try to become the leader', { error })
    }
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
    const held = this.#leadership
    if (held === null) return
    const now = this.#context.clock.now()
    try {
      const ours = await this.#context.store.cluster.renewTerm({
        termId: held.term.id,
        holder: nodeId,
        now,
        leaseMs,
      })
      if (!ours) this.#lose()
      else if (this.#leadership !== null) this.#hold(held.term, now + leaseMs)
    } catch (error) {
      this.#context.logger.warn('Could not renew the leader term; stepping back', { error })
      this.#unclear = true
      this.#lose()
    }
  }

  /** The lease counts from before the call: its reply may have taken any time. */
  #hold(term: LeaderTerm, validUntil: number): void {
    if (this.term() === null) this.#tellLost(this.#leadership)
    this.#leadership = { term, validUntil }
    // A reply so late that the lease has run out again is followed by the next try at once.
    if (this.term() === null) return this.#alarm.ring()
    this.#watchEnd()
    if (this.#told) return
    this.#told = true
    this.#toldWaiting = false
    this.#context.logger.info(`Leading since term ${term.id}`)
    this.#context.events.emit('leader:elected', { termId: term.id, instance: this.#context.nodeId })
    // Whoever looked meanwhile found that this node does not lead, and sleeps.
    this.#onElected()
  }

  /** A renewal may hang for longer than the lease lasts: whoever listens hears of its end when it comes. */
  #watchEnd(): void {
    const { clock } = this.#context
    this.#cancelEnd()
    const leftMs = (this.#leadership?.validUntil ?? 0) - clock.now()
    this.#cancelEnd = clock.timer(Math.min(leftMs, clock.longestSleepMs), () => {
      if (this.term() === null) this.#tellLost(this.#leadership)
      else this.#watchEnd()
    })
  }

  #lose(): void {
    const held = this.#leadership
    this.#leadership = null
    this.#tellLost(held)
  }

  #tellLost(held: Leadership | null): void {
    this.#cancelEnd()
    if (held === null || !this.#told) return
    this.#told = false
    this.#context.logger.info(`No longer leading (term ${held.term.id})`)
    this.#context.events.emit('leader:lost', { termId: held.term.id, instance: this.#context.nodeId })
  }
}
