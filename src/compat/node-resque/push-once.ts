/**
 * Puts a job into a node-resque queue once per key: mark and push are one step of Redis, so there is no moment in which
 * one is done and the other is not. What it writes is what `Queue.enqueue` of node-resque 9 writes.
 */
import { refuseBadName, refuseUnknown } from '../../app/config/call-options.ts'
import { EvertickError } from '../../core/error.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'

/** The `connection` of a node-resque `Queue` or `Worker`, once it is connected. */
export interface ResqueConnection {
  readonly redis: { eval(script: string, numberOfKeys: number, ...rest: string[]): Promise<unknown> }
  key(...parts: string[]): string
}

export interface PushOnce {
  /** The queue of node-resque. */
  readonly queue: string
  /** The name under which the workers know the job. */
  readonly func: string
  /** @default [] */
  readonly args?: readonly unknown[]
  /** Whatever is pushed with the same key is pushed once, as long as it is remembered. */
  readonly key: string
  /** How long the key is remembered. @default '7d' */
  readonly dedupeTtl?: Duration
}

/** `evertick:once:…` under the namespace of the queues: with `{…}` in it, they are all on one node of a cluster. */
const script = `
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
redis.call('SADD', KEYS[2], ARGV[3])
redis.call('RPUSH', KEYS[3], ARGV[1])
return 1`

const longestKey = 1_000

/** False where the key had been pushed before. */
export async function pushOnce(connection: ResqueConnection, push: PushOnce): Promise<boolean> {
  refuseUnknown(push, ['queue', 'func', 'args', 'key', 'dedupeTtl'], 'pushOnce')
  const { queue, func, args = [], key, dedupeTtl = '7d' } = push
  refuseBadName(queue, 'queue')
  refuseBadName(func, 'func')
  refuseBadName(key, 'key', longestKey)
  const ttlMs = parseDuration(dedupeTtl, 'dedupeTtl')
  if (ttlMs < 1)
    throw new EvertickError('invalid_option', 'dedupeTtl must be at least 1ms.', { field: 'dedupeTtl' })
  const pushed = await redisOf(connection).eval(
    script,
    3,
    connection.key('evertick', 'once', key),
    connection.key('queues'),
    connection.key('queue', queue),
    // The same keys in the same order as node-resque: `queue.del` compares texts.
    JSON.stringify({ class: func, queue, args }),
    String(ttlMs),
    queue,
  )
  return pushed === 1
}

function redisOf(connection: ResqueConnection): ResqueConnection['redis'] {
  // node-resque has none before it is connected, whatever its types say.
  const redis = connection.redis as ResqueConnection['redis'] | undefined
  if (redis !== undefined) return redis
  throw new EvertickError('redis_unavailable', 'The node-resque connection is not connected.', {
    next: 'Await queue.connect() before the node starts.',
  })
}
