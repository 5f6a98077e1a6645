/**
 * The log of a node that was given no logger, on standard error: lines for people on a terminal, else JSON for programs.
 * An embedded library is silent unless something is wrong, or EVERTICK_LOG_LEVEL asks for more.
 */
import { printableText } from '../../core/printable-text.ts'
import type { Logger } from '../../engine/logger.ts'
import { logLevelFromEnvironment } from '../config/environment.ts'
import { jsonLogger } from './json-logger.ts'
import { isLogged, type LineLevel, type LogLevel } from './log-level.ts'
import { redactedText } from './redact.ts'

const words: Readonly<Record<LineLevel, string>> = {
  debug: ' debug',
  info: '',
  warn: ' warning',
  error: ' error',
}

export const stderrLogger = stderrLoggerFrom('warn')

/** `usual`: the level, if the environment does not set one. */
export function stderrLoggerFrom(usual: LogLevel): Logger {
  const level = () => logLevelFromEnvironment() ?? usual
  const json = jsonLogger(level, (line) => process.stderr.write(line))
  const say = (line: LineLevel) => (message: string, details?: object) => {
    if (!process.stderr.isTTY) return json[line](message, details)
    if (!isLogged(line, level())) return
    const { error }: { error?: unknown } = details ?? {}
    const why = error instanceof Error ? `: ${error.message}` : ''
    process.stderr.write(`evertick${words[line]}: ${printableText(redactedText(`${message}${why}`))}\n`)
  }
  return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
}
