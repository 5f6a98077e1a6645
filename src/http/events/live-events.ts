/**
 * Live events of one node: from changes, wherever they were made, to the streams of its clients. With nobody connected
 * nothing runs; a client that comes back within a minute goes on where it was.
 */
import type { Access } from '../../app/access/access.ts'
import type { Principal } from '../../app/access/principal.ts'
import type { AppContext } from '../../app/app-context.ts'
import { ChangeFeed } from '../../app/changes/change-feed.ts'
import type { Hint } from '../../app/changes/hint.ts'
import { EvertickError } from '../../core/error.ts'
import type { Logger } from '../../engine/logger.ts'
import { Coalescer } from './coalescer.ts'
import { eventFrame, greetingFrame, heartbeatFrame, resetFrame } from './frame.ts'
import { Ring } from './ring.ts'
import { Subscriber } from './subscriber.ts'

export interface Connect {
  /** Whose connections are counted together. */
  readonly caller: string
  /** The last event that the client has seen; null for a new client. */
  readonly lastEventId: string | null
  /** Whose token it listens with; null if none was needed. */
  readonly principal: Principal | null
}

const heartbeatMs = 15_000
/** A stream ends within a second of the revocation of its token, on whatever node that was. */
const rightsMs = 500
const lingerMs = 60_000
const mostPerCaller = 20
const mostOverall = 2_000

export class LiveEvents {
  readonly #app: AppContext
  readonly #access: Pick<Access, 'live'>
  readonly #logger: Logger
  readonly #coalescer: Coalescer
  readonly #clients = new Map<Subscriber, Connect>()
  #feed: ChangeFeed | null = null
  #ring: Ring
  #cancelHeartbeat: () => void = () => {}
  #cancelRights: () => void = () => {}
  #cancelLinger: () => void = () => {}
  #stopped: Promise<void> = Promise.resolve()
  #closed = false

  constructor(app: AppContext, access: Pick<Access, 'live'>, logger: Logger) {
    this.#app = app
    this.#access = access
    this.#logger = logger
    this.#coalescer = new Coalescer(app.clock, (hints) => this.#publish(hints))
    this.#ring = this.#newRing()
  }

  get connections(): number {
    return this.#clients.size
  }

  connect(given: Connect): ReadableStream<Uint8Array> {
    this.#refuseTooMany(given.caller)
    this.#cancelLinger()
    if (this.#clients.size === 0) {
      this.#beat()
      this.#watchRights()
    }
    const client = new Subscriber(() => this.#gone(client))
    this.#clients.set(client, given)
    this.#begin()
    const missed = given.lastEventId === null ? [] : this.#ring.after(given.lastEventId)
    const { lastId } = this.#ring
    const frames = missed === null ? resetFrame(lastId) : missed.join('')
    // The id goes last: a connection that breaks earlier has not received the events before it.
    client.push(`${frames}${greetingFrame(lastId)}`, () => resetFrame(lastId))
    return client.stream
  }

  /** Ends every stream. No client can connect any more. */
  async close(): Promise<void> {
    this.#closed = true
    for (const client of this.#clients.keys()) client.end()
    this.#rest()
    await this.#stopped
  }

  #begin(): void {
    if (this.#feed !== null) return
    this.#feed = new ChangeFeed(this.#app, this.#logger, (hint) => this.#coalescer.add(hint))
    this.#feed.start()
  }

  #publish(hints: readonly Hint[]): void {
    const frames = hints.map((hint) => this.#ring.add((id) => eventFrame(id, hint))).join('')
    const reset = () => resetFrame(this.#ring.lastId)
    for (const client of this.#clients.keys()) client.push(frames, reset)
  }

  #beat(): void {
    this.#cancelHeartbeat = this.#app.clock.timer(heartbeatMs, () => {
      this.#beat()
      for (const client of this.#clients.keys()) {
        client.push(heartbeatFrame, () => resetFrame(this.#ring.lastId))
      }
    })
  }

  #watchRights(): void {
    this.#cancelRights()
    this.#cancelRights = this.#app.clock.timer(rightsMs, () => void this.#checkRights())
  }

  /** Tokens expire or are revoked: one query checks all listeners. */
  async #checkRights(): Promise<void> {
    const asked = [...this.#clients].flatMap(([client, { principal }]) =>
      principal === null ? [] : [{ client, principal }],
    )
    try {
      const live = await this.#access.live(asked.map(({ principal }) => principal))
      for (const { client, principal } of asked) if (!live.has(principal)) client.end()
    } catch (error) {
      // Without the database there is nothing to send either, so the check can wait for the next turn.
      this.#logger.warn('Could not check who listens to events', { error })
    }
    if (this.#clients.size > 0 && !this.#closed) this.#watchRights()
  }

  #gone(client: Subscriber): void {
    this.#clients.delete(client)
    if (this.#clients.size > 0 || this.#closed) return
    this.#cancelHeartbeat()
    this.#cancelRights()
    this.#cancelLinger = this.#app.clock.timer(lingerMs, () => this.#rest())
  }

  /** Events from now on are not in the ring, so a client must not resume from its ids later. */
  #rest(): void {
    this.#cancelHeartbeat()
    this.#cancelRights()
    this.#cancelLinger()
    this.#coalescer.stop()
    this.#ring = this.#newRing()
    const feed = this.#feed
    this.#feed = null
    if (feed !== null) this.#stopped = this.#stopped.then(() => feed.stop())
  }

  #newRing(): Ring {
    return new Ring(this.#app.newId(this.#app.clock.now()).slice(-8))
  }

  #refuseTooMany(caller: string): void {
    if (this.#closed) {
      throw new EvertickError('not_running', 'This server is stopping.', { next: 'Ask another node.' })
    }
    const own = [...this.#clients.values()].filter((client) => client.caller === caller).length
    if (own < mostPerCaller && this.#clients.size < mostOverall) return
    const [whose, most] =
      own < mostPerCaller ? ['connections', mostOverall] : ['of your connections', mostPerCaller]
    throw new EvertickError('rate_limited', `${most} ${whose} already listen to events.`, {
      next: 'Close one of them first.',
    })
  }
}
