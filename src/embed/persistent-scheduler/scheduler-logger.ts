/** The default of these schedulers: what was missed and what is caught up is told, as their readers expect. */
import { stderrLogger } from '../../app/stderr-logger.ts'
import type { Logger } from '../../engine/logger.ts'

export const schedulerLogger: Logger = {
  ...stderrLogger,
  info: (message) => void process.stderr.write(`evertick: ${message}\n`),
}
