/** The engine's log on standard error: lines for people on a terminal, otherwise JSON for programs. */
import { jsonLogger } from '../app/log/json-logger.ts'
import { isLogged, type LineLevel, type LogLevel } from '../app/log/log-level.ts'
import { redactedText } from '../app/log/redact.ts'
import type { Logger } from '../engine/logger.ts'
import { plainText } from './output/plain-text.ts'
import type { Style, Terminal } from './output/terminal.ts'

export const levelStyles: Readonly<Record<LineLevel, Style>> = {
  debug: 'dim',
  info: 'running',
  warn: 'late',
  error: 'failed',
}

export function streamLogger({ err, json }: Terminal, level: LogLevel): Logger {
  if (json || !err.tty)
    return jsonLogger(
      () => level,
      (line) => err.writeText(line),
    )
  const write = (own: LineLevel) => (message: string, details?: object) => {
    if (!isLogged(own, level)) return
    const error = details !== undefined && 'error' in details ? details.error : undefined
    const at = new Date().toISOString()
    const text = redactedText(error instanceof Error ? `${message}: ${error.message}` : message)
    err.write(`${err.paint('dim', at)} ${err.paint(levelStyles[own], own)} ${plainText(text)}`)
    if (level === 'debug' && error instanceof Error) {
      err.write(err.paint('dim', redactedText(error.stack ?? '')))
    }
  }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
