/**
 * One connection to Redis that comes back by itself. While Redis is away or does not answer, what is asked of it fails in
 * a bounded time instead of piling up: losing Redis may cost speed, but neither memory nor a process that hangs.
 */
import { createHash } from 'node:crypto'
import type * as redisPackage from 'redis'
import { EvertickError } from '../../core/error.ts'
import { Backoff } from '../backoff.ts'
import type { Host } from '../host.ts'
import { inTime, NoAnswer } from '../in-time.ts'
import { loadDriver } from '../load-driver.ts'

/** A Lua script, known to Redis by the hash of its text. */
export interface LuaScript {
  readonly text: string
  readonly sha: string
}

/** Part of every connection that is made: it counts as ready only once the subscription stands. */
export interface Subscription {
  readonly channel: string
  readonly onMessage: (message: string) => void
  /** It stands, for the first time or again: what was said before was not heard. */
  readonly onReady: () => void
}

type Redis = Pick<typeof redisPackage, 'createClient'>
type Client = ReturnType<typeof newClient>

const answerMs = 2_000
/** A connection whose other end has vanished looks alive until it is asked. */
const askEveryMs = 5_000
const pauses = { firstMs: 50, longestMs: 5_000 } as const
const keepAliveMs = 30_000

export function luaScript(text: string): LuaScript {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/** Does not wait for Redis: the first attempt is under way when it returns. */
export async function connectRedis(
  url: string,
  host: Host,
  subscription?: Subscription,
): Promise<RedisConnection> {
  const redis: Redis = await loadDriver('redis', () => import('redis'))
  try {
    newClient(redis, url).destroy()
  } catch (error) {
    throw new EvertickError('invalid_option', 'The Redis URL is not valid.', {
      field: 'redis',
      next: 'Write redis://user:password@host:6379/0, or rediss:// for TLS.',
      cause: error,
    })
  }
  return new RedisConnection(redis, url, host, subscription)
}

export class RedisConnection {
  readonly #redis: Redis
  readonly #url: string
  readonly #host: Host
  readonly #subscription: Subscription | undefined
  #client: Client | null = null
  /** The attempt to connect that is under way. */
  #attempt: Promise<void> | null = null
  readonly #backoff: Backoff
  #lastError: unknown
  #cancelTimer: () => void = () => {}
  #closed = false

  /** @internal A type of the driver's, which those who have no Redis need not install. */
  constructor(redis: Redis, url: string, host: Host, subscription: Subscription | undefined) {
    this.#redis = redis
    this.#url = url
    this.#host = host
    this.#subscription = subscription
    this.#backoff = new Backoff(host, pauses)
    this.#connect()
  }

  get ready(): boolean {
    return this.#client !== null
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.#ask((client) => client.publish(channel, message))
  }

  async runScript({ text, sha }: LuaScript, keys: string[], args: string[]): Promise<unknown> {
    const given = { keys, arguments: args }
    return await this.#ask(async (client): Promise<unknown> => {
      try {
        return await client.evalSha(sha, given)
      } catch (error) {
        // A restarted Redis has forgotten its scripts. The first word of an error reply is its code.
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
        return await client.eval(text, given)
      }
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    await this.#attempt
    const client = this.#client
    this.#client = null
    if (client === null) return
    try {
      // What was asked before is still answered: a node's last hint may be that leadership is free.
      await this.#inTime(client.close())
    } catch {
      client.destroy()
    }
  }

  async #ask<T>(question: (client: Client) => Promise<T>): Promise<T> {
    // An attempt ends soon, well or not; the pause between two attempts is not waited for.
    if (this.#client === null) await this.#attempt
    const client = this.#client
    if (client === null) throw unavailable(this.#lastError)
    try {
      const answer = await this.#inTime(question(client))
      this.#backoff.worked()
      return answer
    } catch (error) {
      if (error instanceof NoAnswer) this.#lose(client, error)
      throw unavailable(client === this.#client ? error : (this.#lastError ?? error))
    }
  }

  #connect(): void {
    const attempt = this.#tryToConnect().finally(() => {
      if (this.#attempt === attempt) this.#attempt = null
    })
    this.#attempt = attempt
  }

  async #tryToConnect(): Promise<void> {
    const client = newClient(this.#redis, this.#url)
    // Without a listener, an error would end the process.
    client.on('error', (error: unknown) => this.#lose(client, error))
    try {
      await this.#inTime(this.#open(client))
      if (this.#closed || !client.isReady) throw new Error('it hung up')
    } catch (error) {
      client.destroy()
      this.#retryLater(error)
      return
    }
    this.#client = client
    this.#backoff.connected()
    this.#askNowAndThen(client)
    this.#subscription?.onReady()
  }

  async #open(client: Client): Promise<void> {
    await client.connect()
    if (this.#subscription === undefined) return
    const { channel, onMessage } = this.#subscription
    await client.subscribe(channel, onMessage)
  }

  #askNowAndThen(client: Client): void {
    this.#cancelTimer = this.#host.timer(askEveryMs, () => void this.#askWhetherAlive(client))
  }

  async #askWhetherAlive(client: Client): Promise<void> {
    try {
      await this.#inTime(client.ping())
      if (client === this.#client) this.#askNowAndThen(client)
    } catch (error) {
      this.#lose(client, error)
    }
  }

  #lose(client: Client, error: unknown): void {
    if (client !== this.#client) return
    this.#client = null
    this.#cancelTimer()
    // This fails all that is still unanswered.
    client.destroy()
    // The first loss is made good at once; one that lets in and hangs up is not.
    if (this.#backoff.isFirst) {
      this.#lastError = error
      this.#backoff.pauseMs()
      this.#connect()
    } else {
      this.#retryLater(error)
    }
  }

  #retryLater(error: unknown): void {
    this.#lastError = error
    if (this.#closed) return
    this.#cancelTimer = this.#host.timer(this.#backoff.pauseMs(), () => this.#connect())
  }

  async #inTime<T>(answer: Promise<T>): Promise<T> {
    return await inTime(this.#host, answerMs, answer)
  }
}

function newClient(redis: Redis, url: string) {
  return redis.createClient({
    url,
    name: 'evertick',
    // The client's own queue and its own reconnecting wait without end.
    disableOfflineQueue: true,
    // Shorter than our own patience: a client that is destroyed while it dials would leave its socket open.
    socket: {
      connectTimeout: answerMs / 2,
      reconnectStrategy: false,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveMs,
    },
    maintNotifications: 'disabled',
  })
}

function unavailable(cause: unknown): EvertickError {
  return new EvertickError('redis_unavailable', `Redis cannot be used: ${reasonOf(cause)}.`, {
    next: 'Check its URL and whether it runs; the connection comes back by itself.',
    cause,
  })
}

/** Where a host has several addresses, the error about them all has a code, but no words. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'it is not connected'
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
  return cause.message === '' ? code : cause.message.replace(/\.$/, '')
}
