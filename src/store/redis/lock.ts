/**
 * Named locks on Redis: a token that guards each, and a fence that grows with every acquisition. Each verb is one Lua
 * script, which Redis runs alone; what is read and what is written in it cannot be parted.
 */
import type { Host } from '../host.ts'
import { connectRedis, luaScript, type RedisConnection } from './connection.ts'

export interface RedisLockState {
  readonly owner: string
  readonly fence: number
  readonly remainingMs: number
}

/**
 * A hash with a time to live, so that an operator can read who holds what. The same token again is a reply that was
 * lost: it gets the same answer, instead of waiting for itself.
 *
 * The fence is never below Redis' own time in microseconds: a flush, or a restart without persistence, loses the stored
 * one, and a count that began again at 1 would let a late holder pass for a new one.
 */
const acquireScript = luaScript(`
local fence = nil
if redis.call('EXISTS', KEYS[1]) == 1 then
  if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return nil end
  fence = redis.call('HGET', KEYS[1], 'fence')
else
  local time = redis.call('TIME')
  fence = string.format('%.0f', math.max(redis.call('INCR', KEYS[2]), time[1] * 1000000 + time[2]))
  redis.call('SET', KEYS[2], fence)
  redis.call('HSET', KEYS[1], 'token', ARGV[1], 'owner', ARGV[2], 'fence', fence)
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return fence`)

const extendScript = luaScript(`
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`)

const releaseScript = luaScript(`
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`)

const readScript = luaScript(`
local held = redis.call('HMGET', KEYS[1], 'owner', 'fence')
return { held[1], held[2], redis.call('PTTL', KEYS[1]) }`)

export async function openRedisLocks(url: string, prefix: string, host: Host): Promise<RedisLocks> {
  return new RedisLocks(await connectRedis(url, host), prefix)
}

export class RedisLocks {
  readonly #redis: RedisConnection
  readonly #prefix: string

  constructor(redis: RedisConnection, prefix: string) {
    this.#redis = redis
    this.#prefix = prefix
  }

  /** Null where somebody else holds it. */
  async acquire(
    name: string,
    owner: string,
    token: string,
    ttlMs: number,
  ): Promise<{ fence: number } | null> {
    const fence = await this.#redis.runScript(acquireScript, this.#keys(name), [token, owner, String(ttlMs)])
    return fence === null ? null : { fence: Number(fence) }
  }

  /** False where the token is not, or no longer, that of its holder. */
  async extend(name: string, token: string, ttlMs: number): Promise<boolean> {
    return (await this.#redis.runScript(extendScript, this.#keys(name), [token, String(ttlMs)])) === 1
  }

  async release(name: string, token: string): Promise<boolean> {
    return (await this.#redis.runScript(releaseScript, this.#keys(name), [token])) === 1
  }

  async read(name: string): Promise<RedisLockState | null> {
    const held = (await this.#redis.runScript(readScript, this.#keys(name), [])) as unknown[]
    const [owner, fence, remainingMs] = held
    if (typeof owner !== 'string') return null
    return { owner, fence: Number(fence), remainingMs: Number(remainingMs) }
  }

  async close(): Promise<void> {
    await this.#redis.close()
  }

  /** The braces keep both keys of a lock on one node, where Redis is spread over several. */
  #keys(name: string): [lock: string, fence: string] {
    return [`${this.#prefix}:{${name}}:lock`, `${this.#prefix}:{${name}}:fence`]
  }
}
