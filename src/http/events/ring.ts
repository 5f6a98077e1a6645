/** The last events, for clients that reconnect: a client that names the last event it has seen gets those after it. */

const capacity = 1_000

export class Ring {
  /** Makes ids unique to this ring: ids of another node, or of an earlier process, are unknown here. */
  readonly #tag: string
  readonly #frames: string[] = []
  #last = 0

  constructor(tag: string) {
    this.#tag = tag
  }

  /** The newest event's; before the first, one that the first follows. */
  get lastId(): string {
    return this.#idOf(this.#last)
  }

  /** `frame` is given the id that the event gets. */
  add(frame: (id: string) => string): string {
    this.#last += 1
    const made = frame(this.#idOf(this.#last))
    this.#frames.push(made)
    // Rarely, and half at once: shifting one event for each new one would move them all every time.
    if (this.#frames.length >= capacity * 2) this.#frames.splice(0, capacity)
    return made
  }

  /** Null if the id is unknown, or if events after it are already gone. */
  after(id: string): readonly string[] | null {
    const [, digits, tag] = /^(\d{1,15})-(.+)$/.exec(id) ?? []
    if (digits === undefined || tag !== this.#tag) return null
    const missed = this.#last - Number(digits)
    if (missed < 0 || missed > Math.min(this.#frames.length, capacity)) return null
    return missed === 0 ? [] : this.#frames.slice(-missed)
  }

  #idOf(sequence: number): string {
    return `${sequence}-${this.#tag}`
  }
}
