/**
 * Hints by LISTEN and NOTIFY. They are sent after the commit, on another connection and at most every few milliseconds:
 * inside each transaction they would make every commit of the database queue behind one lock.
 */
import type { Carrier, CarrierEvents } from '../carried-hints.ts'
import type { Host } from '../host.ts'
import type { Script, Step } from '../sql/script.ts'
import type { ServerDriver } from '../sql/server-driver.ts'
import { openListener, type PostgresDriver } from './connection.ts'

const firstNapMs = 200
const longestNapMs = 10_000

export interface ListenPlace {
  /** Past any pooler: who listens needs a connection of its own. */
  readonly url: string
  readonly channel: string
}

export class NotifyCarrier implements Carrier {
  readonly #pg: PostgresDriver
  readonly #place: ListenPlace
  readonly #driver: ServerDriver
  readonly #host: Host
  readonly #events: CarrierEvents
  #listener: { close(): Promise<void> } | null = null
  #cancelNap: () => void = () => {}
  #closed = false

  constructor(
    pg: PostgresDriver,
    place: ListenPlace,
    { driver, host }: { readonly driver: ServerDriver; readonly host: Host },
    events: CarrierEvents,
  ) {
    this.#pg = pg
    this.#place = place
    this.#driver = driver
    this.#host = host
    this.#events = events
  }

  get ready(): boolean {
    return this.#listener !== null
  }

  /** Tries once; where that fails, hints come later, and until then everybody polls. */
  async connect(napMs = firstNapMs): Promise<void> {
    try {
      const listener = await openListener(this.#pg, this.#place.url, this.#place.channel, {
        onMessage: this.#events.onMessage,
        onEnd: () => this.#reconnect(firstNapMs),
      })
      if (this.#closed) return await listener.close()
      this.#listener = listener
      this.#events.onReady()
    } catch {
      this.#reconnect(Math.min(napMs * 2, longestNapMs))
    }
  }

  async publish(message: string): Promise<void> {
    await this.#driver.write(() => notifyScript(this.#place.channel, message))
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelNap()
    await this.#listener?.close()
    this.#listener = null
  }

  /** With a nap of a random length, so that a fleet does not come back all at once. */
  #reconnect(napMs: number): void {
    this.#listener = null
    if (this.#closed) return
    const jittered = napMs * (0.5 + this.#host.random() / 2)
    this.#cancelNap = this.#host.timer(jittered, () => void this.connect(napMs))
  }
}

export function notifyStep(channel: string, message: string): Step {
  return { text: 'SELECT pg_notify(?, ?)', params: [channel, message], wants: 'rows', alone: true }
}

function* notifyScript(channel: string, message: string): Script<void> {
  yield notifyStep(channel, message)
}
