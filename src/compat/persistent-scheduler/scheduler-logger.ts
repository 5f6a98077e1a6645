/** The default of these schedulers: what was missed and what is caught up is told, as their readers expect. */
import { stderrLoggerFrom } from '../../app/log/stderr-logger.ts'
import type { Logger } from '../../engine/logger.ts'

export const schedulerLogger: Logger = stderrLoggerFrom('info')
