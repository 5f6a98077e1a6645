/** The levels of the log. */
import { EvertickError } from '../../core/error.ts'
import { didYouMean } from '../../core/schedule/did-you-mean.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]
/** Of a line. */
export type LineLevel = Exclude<LogLevel, 'silent'>

export function parseLogLevel(given: string, field: string): LogLevel {
  const level = logLevels.find((known) => known === given.toLowerCase())
  if (level !== undefined) return level
  const near = didYouMean(given, logLevels)
  throw new EvertickError(
    'invalid_option',
    `${field} is ${JSON.stringify(given)}, which is not a log level.`,
    {
      field,
      next: near === undefined ? `Use one of ${logLevels.join(', ')}.` : `Did you mean "${near}"?`,
    },
  )
}

export function isLogged(line: LineLevel, from: LogLevel): boolean {
  return logLevels.indexOf(line) >= logLevels.indexOf(from)
}
