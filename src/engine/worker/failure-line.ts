/** A failed attempt as one line of the log: what failed, which try it was, why, and what comes next. */
import type { Ending } from '../../core/attempt/outcome.ts'
import type { ClaimedExecution } from '../../store/store.ts'
import type { Logger } from '../logger.ts'

export function logFailure(logger: Logger, claim: ClaimedExecution, ending: Ending): void {
  if (ending.state === 'completed' || ending.state === 'cancelled' || ending.error === null) return
  const { id, jobName, attempt, maxAttempts } = claim
  const details = { job: jobName, executionId: id, attempt }
  const what = `${jobName} failed, attempt ${attempt} of ${maxAttempts}, execution ${id}: ${oneLine(ending.error.message)}`
  if (ending.state === 'failed') logger.error(`${what}. It is not tried again.`, details)
  else logger.warn(`${what}. It is tried again at ${new Date(ending.readyAt).toISOString()}.`, details)
}

function oneLine(message: string): string {
  return message
    .trim()
    .replace(/\s*[\r\n]\s*/g, ' ')
    .replace(/\.$/, '')
}
