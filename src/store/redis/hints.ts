/** Hints between nodes over Redis: one channel for each database, one connection that both speaks and listens. */
import { carryHints } from '../carried-hints.ts'
import type { Hints } from '../hints.ts'
import type { Host } from '../host.ts'
import { connectRedis } from './connection.ts'

export interface RedisHintsOptions {
  /** Whose hints these are: two databases on one Redis do not wake each other. */
  readonly namespace: string
  /** This process, whose own messages come back to it. */
  readonly sender: string
}

export async function openRedisHints(
  url: string,
  { namespace, sender }: RedisHintsOptions,
  host: Host,
): Promise<Hints> {
  const channel = `evertick:${namespace}`
  return await carryHints(
    async (events) => {
      const redis = await connectRedis(url, host, { channel, ...events })
      return {
        get ready() {
          return redis.ready
        },
        publish: (message) => redis.publish(channel, message),
        close: () => redis.close(),
      }
    },
    sender,
    host,
  )
}
