/**
 * A lifeline is a lock that ends with the process which holds it: however the process dies, the kernel closes its
 * connection or its file. Others who find the lock free know at once what a lease would tell them much later. It is a
 * hint, never a fact, since a connection may also break under a process that lives.
 */
import { Backoff } from './backoff.ts'
import type { Host } from './host.ts'
import type { Lifeline, LifelineState } from './store.ts'

export interface Lifelines {
  /** Tied as soon as it can be, and again whenever it breaks, until it is released. `onChange` hears its present name. */
  hold(onChange: (name: string | null) => void): Lifeline
  check(name: string): Promise<LifelineState>
  close(): Promise<void>
}

/** A lock and the connection that holds it. */
export interface Tied {
  /** What others find it by. */
  readonly name: string
  /** Ends the connection, and with it the lock; it never throws. */
  cut(): Promise<void>
}

/** What an engine brings. */
export interface LifelineEngine {
  /** `onCut` is called once where it breaks by itself, and not before it is tied. */
  tie(onCut: () => void): Promise<Tied>
  check(name: string): Promise<LifelineState>
}

/** Where nothing outlives a transaction: nobody holds one, and nobody finds one free. */
export const noLifelines: Lifelines = {
  hold: () => ({ release: async () => {} }),
  check: async () => 'unknown',
  close: async () => {},
}

/** Until it is tied again others go by the lease, so there is no hurry. */
const pauses = { firstMs: 200, longestMs: 30_000 } as const

export function keepLifelines(engine: LifelineEngine, host: Host): Lifelines {
  const held = new Set<KeptLifeline>()
  return {
    hold(onChange) {
      const lifeline = new KeptLifeline(engine, host, onChange, () => held.delete(lifeline))
      held.add(lifeline)
      return lifeline
    },
    check: async (name) => await engine.check(name),
    close: async () => void (await Promise.all([...held].map(async (lifeline) => await lifeline.release()))),
  }
}

class KeptLifeline implements Lifeline {
  readonly #engine: LifelineEngine
  readonly #host: Host
  readonly #onChange: (name: string | null) => void
  readonly #onReleased: () => void
  readonly #backoff: Backoff
  #tied: Tied | null = null
  /** The last try. */
  #tying: Promise<void>
  #releasing: Promise<void> | null = null
  #cancelPause: () => void = () => {}

  constructor(
    engine: LifelineEngine,
    host: Host,
    onChange: (name: string | null) => void,
    onReleased: () => void,
  ) {
    this.#engine = engine
    this.#host = host
    this.#onChange = onChange
    this.#onReleased = onReleased
    this.#backoff = new Backoff(host, pauses)
    this.#tying = this.#tie()
  }

  async release(): Promise<void> {
    this.#releasing ??= this.#release()
    await this.#releasing
  }

  async #release(): Promise<void> {
    this.#cancelPause()
    const tied = this.#tied
    this.#tied = null
    await Promise.all([tied?.cut(), this.#tying])
    this.#onReleased()
  }

  async #tie(): Promise<void> {
    let isWhole = true
    let tied: Tied | null = null
    try {
      tied = await this.#engine.tie(() => {
        isWhole = false
        if (this.#tied !== null) this.#lose()
      })
      // By the way that others look: where they would not see it held (another server of a cluster, a database that only
      // pretends), they would take a living process for dead.
      const seen = await this.#engine.check(tied.name)
      if (isWhole && seen === 'held' && this.#releasing === null) return this.#keep(tied)
    } catch {
      // Tried again later; until then others go by the lease.
    }
    await tied?.cut()
    this.#tieLater()
  }

  #keep(tied: Tied): void {
    this.#tied = tied
    this.#backoff.connected()
    this.#onChange(tied.name)
  }

  #lose(): void {
    this.#tied = null
    this.#onChange(null)
    this.#tieLater()
  }

  #tieLater(): void {
    if (this.#releasing !== null) return
    this.#cancelPause = this.#host.timer(this.#backoff.pauseMs(), () => {
      this.#tying = this.#tie()
    })
  }
}
