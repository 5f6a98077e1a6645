/** The default of an embedded library: silent unless something is wrong. */
import type { Logger } from '../engine/logger.ts'

function write(level: string, message: string, details: { error?: unknown } = {}): void {
  const { error } = details
  const why = error instanceof Error ? `: ${error.message}` : ''
  process.stderr.write(`evertick ${level}: ${message}${why}\n`)
}

export const stderrLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: (message, details) => write('warning', message, details),
  error: (message, details) => write('error', message, details),
}
