/**
 * PostgreSQL's own: hints by LISTEN and NOTIFY. They are sent after the commit, on another connection and at most every
 * few milliseconds: inside each transaction they would make every commit of the database queue behind one lock.
 */
import { Backoff } from '../backoff.ts'
import type { Carrier, CarrierEvents } from '../carried-hints.ts'
import type { Host } from '../host.ts'
import type { Script, Step } from '../sql/runtime/script.ts'
import type { ServerDriver } from '../sql/runtime/server-driver.ts'
import { openListener, type PostgresPackage } from './connection.ts'

const pauses = { firstMs: 200, longestMs: 10_000 } as const

export interface ListenPlace {
  /** Past any pooler: a listener needs a connection of its own. */
  readonly url: string
  readonly channel: string
}

export class NotifyCarrier implements Carrier {
  readonly #pg: PostgresPackage
  readonly #place: ListenPlace
  readonly #driver: ServerDriver
  readonly #host: Host
  readonly #events: CarrierEvents
  readonly #backoff: Backoff
  #listener: { close(): Promise<void> } | null = null
  #cancelPause: () => void = () => {}
  #closed = false

  constructor(
    pg: PostgresPackage,
    place: ListenPlace,
    { driver, host }: { readonly driver: ServerDriver; readonly host: Host },
    events: CarrierEvents,
  ) {
    this.#pg = pg
    this.#place = place
    this.#driver = driver
    this.#host = host
    this.#events = events
    this.#backoff = new Backoff(host, pauses)
  }

  get ready(): boolean {
    return this.#listener !== null
  }

  /** Tries once. If that fails it tries again later, and until then nodes poll. */
  async connect(): Promise<void> {
    try {
      const listener = await openListener(
        this.#pg,
        { ...this.#place, host: this.#host },
        { onMessage: this.#events.onMessage, onEnd: () => this.#reconnect() },
      )
      if (this.#closed) return await listener.close()
      this.#backoff.connected()
      this.#listener = listener
      this.#events.onReady()
    } catch {
      this.#reconnect()
    }
  }

  async publish(message: string): Promise<void> {
    await this.#driver.write(() => notifyScript(this.#place.channel, message))
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelPause()
    await this.#listener?.close()
    this.#listener = null
  }

  #reconnect(): void {
    this.#listener = null
    if (this.#closed) return
    this.#cancelPause = this.#host.timer(this.#backoff.pauseMs(), () => void this.connect())
  }
}

export function notifyStep(channel: string, message: string): Step {
  return { text: 'SELECT pg_notify(?, ?)', params: [channel, message], wants: 'rows', alone: 'writes' }
}

function* notifyScript(channel: string, message: string): Script<void> {
  yield notifyStep(channel, message)
}
