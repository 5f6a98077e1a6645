/**
 * Sleeps and waits. A handler that has nothing else under way gives up its slot: its attempt ends here, and a later one
 * comes back to the same call. Where something else of the run is still going on, or has just ended, the slot is held: what
 * the handler does next cannot be known.
 */
import type { Outcome } from '../../../core/attempt/outcome.ts'
import { never } from '../../../core/execution/step.ts'
import type { EngineContext } from '../../context.ts'
import type { Held } from '../held.ts'

/** How often a wait that holds its slot looks for its signal. */
const lookMs = 1_000
/** A slot that is held longer than this is told of. */
const heldMs = 10_000

interface Open {
  readonly kind: 'sleep' | 'wait'
  /** Null where it has no end. */
  readonly endsAt: number | null
}

export class Rests {
  readonly #context: EngineContext
  readonly #held: Held
  readonly #giveUp: (outcome: Extract<Outcome, { kind: 'rest' }>) => void
  readonly #warn: (message: string) => void
  readonly #open = new Map<string, Open>()
  #underWay = 0
  /** Calls and ends, counted: the slot is given up only if nothing has happened since the last call to rest. */
  #events = 0
  #isOver = false
  #warned = false

  constructor(
    context: EngineContext,
    held: Held,
    parts: {
      readonly giveUp: (outcome: Extract<Outcome, { kind: 'rest' }>) => void
      readonly warn: (message: string) => void
    },
  ) {
    this.#context = context
    this.#held = held
    this.#giveUp = parts.giveUp
    this.#warn = parts.warn
  }

  /** Something of the run that keeps its slot until it has ended. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isOver) return await forever<T>()
    this.#events += 1
    this.#underWay += 1
    try {
      return await work()
    } finally {
      this.#underWay -= 1
      this.#events += 1
    }
  }

  /** Resolves when it is time, or, for a wait, to look again; or never, because the slot was given up. */
  async until(name: string, { kind, endsAt }: Open): Promise<void> {
    this.#open.set(name, { kind, endsAt })
    this.#events += 1
    const seen = this.#events
    await new Promise<void>((resolve) => this.#context.defer(resolve))
    if (this.#events === seen && this.#underWay === 0 && !this.#held.signal.aborted) {
      this.#isOver = true
      const open = [...this.#open.values()]
      const until = Math.min(...open.map((each) => each.endsAt ?? never))
      const state = open.some((each) => each.kind === 'wait') ? 'waiting' : 'sleeping'
      const rest = { state, names: [...this.#open.keys()] } as const
      this.#giveUp({ kind: 'rest', until: until === never ? null : until, rest })
    }
    if (this.#isOver) return await forever()
    await this.#hold(name, endsAt)
    this.#open.delete(name)
    this.#events += 1
  }

  async #hold(name: string, endsAt: number | null): Promise<void> {
    const { clock } = this.#context
    const left = endsAt === null ? lookMs : endsAt - clock.now()
    if (!this.#warned && left > heldMs) {
      this.#warned = true
      this.#warn(`"${name}" holds its slot, since something else of this run goes on beside it.`)
    }
    if (left > 0) await clock.sleep(Math.min(left, clock.longestSleepMs), this.#held.signal)
    this.#held.signal.throwIfAborted()
  }
}

/** The attempt has ended: whoever waits for this is not part of any run. */
async function forever<T>(): Promise<T> {
  return await new Promise<T>(() => {})
}
