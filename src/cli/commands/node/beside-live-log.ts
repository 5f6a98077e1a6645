/** The log of a node whose live log tells what became of each execution: that is not said twice on one terminal. */
import type { Logger } from '../../../engine/logger.ts'

export function besideLiveLog(logger: Logger): Logger {
  const say = (line: keyof Logger) => (message: string, details?: object) => {
    if (details === undefined || !('executionId' in details)) logger[line](message, details)
  }
  return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
}
