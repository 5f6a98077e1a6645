/**
 * Sleeps and waits. A handler that has nothing else under way gives up its slot: its attempt ends here, and a later one
 * comes back to the same call. Where something else of the run is still going on, or has just ended, the slot is held: what
 * the handler does next cannot be known.
 */
import type { Outcome } from '../../../core/attempt/outcome.ts'
import { never } from '../../../core/execution/step.ts'
import type { EngineContext } from '../../context.ts'
import type { Held } from '../held.ts'

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
  /** What the handler has called and been given, counted: the slot is given up only if a call to rest was the last of it. */
  #events = 0
  #lastRest = 0
  /**
   * Aborted when the attempt has ended, by a rest or because one part of the handler threw: what another part of it calls
   * from then on is nobody's, and what it waits for is not waited for.
   */
  readonly #over = new AbortController()
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
    held.attach(() => this.#over.abort())
  }

  /** Something of the run that keeps its slot until it has ended. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#over.signal.aborted) return await forever<T>()
    this.#events += 1
    this.#underWay += 1
    try {
      return await work()
    } finally {
      this.#underWay -= 1
      this.#events += 1
    }
  }

  /**
   * Resolves when it is over; or never, because the slot was given up. Looking whether it is over, every `lookMs` where the
   * slot is held, is no call of the handler's: it may be in the middle of plain code.
   */
  async until(
    name: string,
    { kind, endsAt, lookMs, isOver }: Open & { lookMs: number; isOver: () => Promise<boolean> },
  ): Promise<void> {
    this.#open.set(name, { kind, endsAt })
    this.#events += 1
    this.#lastRest = this.#events
    const { clock, defer } = this.#context
    const since = clock.monotonic()
    try {
      do {
        await new Promise<void>((resolve) => defer(resolve))
        this.#giveUpIfIdle()
        await this.#hold(Math.min(lookMs, (endsAt ?? never) - clock.now()))
        if (clock.monotonic() - since >= heldMs) this.#tellHeld(name)
      } while (!(await this.#quietly(isOver)))
    } finally {
      this.#open.delete(name)
      this.#events += 1
    }
  }

  #giveUpIfIdle(): void {
    const isIdle = this.#events === this.#lastRest && this.#underWay === 0
    if (!isIdle || this.#held.signal.aborted || this.#over.signal.aborted) return
    const open = [...this.#open.values()]
    const until = Math.min(...open.map(({ endsAt }) => endsAt ?? never))
    const state = open.some(({ kind }) => kind === 'wait') ? 'waiting' : 'sleeping'
    const rest = { state, names: [...this.#open.keys()] } as const
    this.#giveUp({ kind: 'rest', until: until === never ? null : until, rest })
  }

  async #quietly(look: () => Promise<boolean>): Promise<boolean> {
    this.#underWay += 1
    try {
      return await look()
    } finally {
      this.#underWay -= 1
    }
  }

  #tellHeld(name: string): void {
    if (this.#warned) return
    this.#warned = true
    this.#warn(`"${name}" holds its slot, since something else of this run goes on beside it.`)
  }

  async #hold(ms: number): Promise<void> {
    const { clock } = this.#context
    const longestMs = Math.min(clock.longestSleepMs, this.#warned ? never : heldMs)
    const ended = AbortSignal.any([this.#held.signal, this.#over.signal])
    if (ms > 0) await clock.sleep(Math.min(ms, longestMs), ended)
    if (this.#over.signal.aborted) return await forever()
    this.#held.signal.throwIfAborted()
  }
}

/** The attempt has ended: whoever waits for this is not part of any run. */
async function forever<T>(): Promise<T> {
  return await new Promise<T>(() => {})
}
