/** Hints over anything that carries messages between processes: Redis, or PostgreSQL's NOTIFY. */
import { type Hints, type HintTopic, hintTopics } from './hints.ts'
import type { Host } from './host.ts'

/** What carries messages. It reconnects by itself, and says so. */
export interface Carrier {
  /** Whether messages of others arrive at present. */
  readonly ready: boolean
  publish(message: string): Promise<void>
  close(): Promise<void>
}

/** What a carrier calls back. */
export interface CarrierEvents {
  readonly onMessage: (message: string) => void
  /** It is connected, for the first time or again. */
  readonly onReady: () => void
}

/** A busy node sends no more often than this. */
const quietMs = 10

export async function carryHints(
  connect: (events: CarrierEvents) => Promise<Carrier>,
  sender: string,
  host: Host,
): Promise<Hints> {
  const hints = new CarriedHints(sender, host)
  await hints.connect(connect)
  return hints
}

class CarriedHints implements Hints {
  /** This process: its own messages come back to it, and are dropped by this name. */
  readonly #sender: string
  readonly #host: Host
  readonly #listeners = new Set<(topic: HintTopic) => void>()
  /** What is still to be said. Kept while the carrier is away, and said when it is back: there are only a few topics. */
  readonly #unsaid = new Set<HintTopic>()
  #carrier: Carrier | null = null
  #speaking = false
  #cancelTimer: () => void = () => {}
  #closed = false

  constructor(sender: string, host: Host) {
    this.#sender = sender
    this.#host = host
  }

  async connect(connect: (events: CarrierEvents) => Promise<Carrier>): Promise<void> {
    this.#carrier = await connect({
      onMessage: (message) => this.#hear(message),
      onReady: () => {
        // What others said meanwhile is lost: everything may be worth a look.
        this.#tell(hintTopics)
        if (this.#unsaid.size > 0) this.#speakSoon()
      },
    })
  }

  get live(): boolean {
    return this.#carrier?.ready ?? false
  }

  send(topic: HintTopic): void {
    if (this.#closed) return
    this.#unsaid.add(topic)
    this.#speakSoon()
  }

  listen(listener: (topic: HintTopic) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#cancelTimer()
    this.#speak()
    this.#closed = true
    this.#listeners.clear()
    await this.#carrier?.close()
  }

  /** The first topic waits for the end of its turn only; those of the next milliseconds share a message. */
  #speakSoon(): void {
    if (this.#speaking) return
    this.#speaking = true
    this.#host.defer(() => this.#speakOn())
  }

  #speakOn(): void {
    if (this.#closed) return
    if (this.#speak()) this.#cancelTimer = this.#host.timer(quietMs, () => this.#speakOn())
    else this.#speaking = false
  }

  /** False where there was nothing to say, or nobody to say it to. */
  #speak(): boolean {
    const carrier = this.#carrier
    if (carrier === null || !carrier.ready || this.#unsaid.size === 0) return false
    const topics = [...this.#unsaid]
    this.#unsaid.clear()
    carrier.publish(messageOf(topics, this.#sender)).catch(() => {
      // Said again with the next message, at the latest when the carrier is back.
      for (const topic of topics) this.#unsaid.add(topic)
    })
    return true
  }

  #hear(message: string): void {
    const end = message.indexOf(' ')
    if (message.slice(end + 1) === this.#sender) return
    // A newer node may know topics that this one does not.
    const said = message.slice(0, end).split(',')
    this.#tell(hintTopics.filter((topic) => said.includes(topic)))
  }

  #tell(topics: readonly HintTopic[]): void {
    if (this.#closed) return
    for (const topic of topics) for (const listener of this.#listeners) listener(topic)
  }
}

export function messageOf(topics: readonly HintTopic[], sender: string): string {
  return `${topics.join(',')} ${sender}`
}
