import type { Aftermath, CompleteWithin, FinishedAttempt } from '../../store.ts'
import type { HotScripts } from '../hot-scripts.ts'
import type { SqlDriver } from '../runtime/driver.ts'
import { refuseStale, staleLease } from '../steps/record-steps.ts'
import { finishOne } from './finish-attempts.ts'

/** The handler's writes and the fenced completion, all of it or none: no duplicate orders after a crash. */
export async function completeWithin<T>(
  driver: SqlDriver,
  request: CompleteWithin<T>,
  hot: HotScripts,
): Promise<T> {
  const { claim, clock } = request
  let after: Aftermath | null = null
  const result = await driver.exclusive<T>({
    maxMs: request.maxMs,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    first: () => refuseStale(claim),
    run: request.run,
    last: function* (result) {
      const ending = request.ending(result)
      const usage = request.usage?.() ?? null
      const ended: FinishedAttempt = { ...claim, ending, finishedAt: clock.now() }
      const finished = usage === null ? ended : { ...ended, usage }
      after = yield* finishOne(finished, request, hot)
      if (after === null) throw staleLease(claim.id)
    },
  })
  if (after !== null) request.onEnded?.(after)
  return result
}
