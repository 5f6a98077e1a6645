/** Of two that write the jobs of one manager at once, one is refused: each would plan by what the other is changing. */
import { EvertickError } from '../../../core/error.ts'
import type { AppContext } from '../../app-context.ts'
import { Locks } from '../../locks/locks.ts'

/** A node that dies meanwhile holds up the next run no longer than this. */
const ttl = '5m'

/** `keep` holds the lock for another while, and throws where it was lost. */
export async function asManager<T>(
  app: AppContext,
  manager: string,
  work: (keep: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const lock = await new Locks(app).acquire(manager, { ttl })
  if (lock === null) {
    throw new EvertickError('lock_held', `The jobs of ${manager} are being written by somebody else.`, {
      next: 'Wait for it to end, and try again.',
    })
  }
  try {
    return await work(() => lock.extend())
  } finally {
    await lock.release()
  }
}
