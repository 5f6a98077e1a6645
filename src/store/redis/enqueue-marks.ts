/** The marks of `sql/enqueue-marks.ts` on Redis: a hash each, with a time to live. Each verb is one Lua script. */
import type { Host } from '../host.ts'
import type { MarkClaim } from '../store.ts'
import { connectRedis, luaScript, type RedisConnection } from './connection.ts'

/** Fences are compared as numbers: both are below 2^53, which is as far as Lua counts. */
const claimScript = luaScript(`
local by = redis.call('HGET', KEYS[1], 'claimed_by')
local said = 'claimed'
if by then
  if redis.call('HEXISTS', KEYS[1], 'enqueued_at') == 1 then return 'enqueued' end
  if tonumber(by) > tonumber(ARGV[1]) then return 'stale' end
  said = 'repeated'
end
redis.call('HSET', KEYS[1], 'claimed_by', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return said`)

const finishScript = luaScript(`
if redis.call('HGET', KEYS[1], 'claimed_by') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'enqueued_at', ARGV[3])
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`)

export async function openRedisMarks(url: string, prefix: string, host: Host): Promise<RedisMarks> {
  return new RedisMarks(await connectRedis(url, host), prefix)
}

export class RedisMarks {
  readonly #redis: RedisConnection
  readonly #prefix: string

  constructor(redis: RedisConnection, prefix: string) {
    this.#redis = redis
    this.#prefix = prefix
  }

  async claim(mark: string, fence: number, ttlMs: number): Promise<MarkClaim> {
    const said = await this.#redis.runScript(claimScript, [this.#key(mark)], [String(fence), String(ttlMs)])
    return said as MarkClaim
  }

  /** False where a later leader has claimed it meanwhile. */
  async finish(mark: string, fence: number, ttlMs: number, now: number): Promise<boolean> {
    const args = [String(fence), String(ttlMs), String(now)]
    return (await this.#redis.runScript(finishScript, [this.#key(mark)], args)) === 1
  }

  async close(): Promise<void> {
    await this.#redis.close()
  }

  #key(mark: string): string {
    return `${this.#prefix}:mark:${mark}`
  }
}
