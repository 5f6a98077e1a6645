/** The log of a node for programs: a line of JSON each, by pino. */
import { createRequire } from 'node:module'
import type { DestinationStream, LoggerOptions, Logger as Pino } from 'pino'
import { printableText } from '../../core/printable-text.ts'
import type { Logger } from '../../engine/logger.ts'
import { isLogged, type LineLevel, type LogLevel } from './log-level.ts'
import { redactedFields, redactedText } from './redact.ts'

interface PinoModule {
  (options: LoggerOptions, destination: DestinationStream): Pino
  readonly stdTimeFunctions: { readonly isoTime: () => string }
}

/** `write` is given whole lines, with their ends. */
export function jsonLogger(level: () => LogLevel, write: (line: string) => void): Logger {
  let made: Pino | null = null
  const say = (line: LineLevel) => (message: string, details?: object) => {
    if (!isLogged(line, level())) return
    made ??= openPino(write)
    made[line](redactedFields(details ?? {}), redactedText(message))
  }
  return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
}

/** Loaded with the first line: a command that logs nothing must not wait 20 ms for a logger. */
function openPino(write: (line: string) => void): Pino {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- require has no types
  const pino = createRequire(import.meta.url)('pino') as PinoModule
  return pino(
    {
      level: 'debug',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    // Control characters are escaped as in JSON, so that a line cannot steer a terminal.
    { write: (line) => write(printableText(line)) },
  )
}
