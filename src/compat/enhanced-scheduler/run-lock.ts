/**
 * A lock around each run, where there is a Redis. The engine needs none: a claim and its fence give every run to one
 * node. The lock is for what the engine cannot see: an old scheduler beside it, or a run that its node has lost and that
 * still goes on. Without Redis there is no lock, but the run still happens.
 */
import type { DistributedLock } from '../../app/locks/distributed-lock.ts'
import { EvertickError } from '../../core/error.ts'
import type { Logger } from '../../engine/logger.ts'
import type { JobContext } from '../../engine/worker/handler.ts'
import { outcome } from '../../engine/worker/outcome-signal.ts'

/** How soon to look again where somebody else holds it. */
const comeAgain = '5s'

export async function underLock(
  lock: DistributedLock,
  name: string,
  context: JobContext,
  logger: Logger,
  work: (context: JobContext) => unknown,
): Promise<unknown> {
  const begun = { yes: false }
  try {
    return await lock.withLock(name, { signal: context.signal }, async (signal) => {
      begun.yes = true
      return await work({ ...context, signal })
    })
  } catch (error) {
    if (begun.yes || !(error instanceof EvertickError)) throw error
    if (error.code === 'lock_held') return outcome.snooze(comeAgain)
    if (error.code !== 'redis_unavailable') throw error
    logger.warn('Redis is not available: a run goes on without its lock', { error })
    return await work(context)
  }
}
