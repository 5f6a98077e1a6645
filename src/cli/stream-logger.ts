/** What the engine has to say, as lines on standard error, from the chosen level up. */
import type { Logger } from '../engine/logger.ts'
import { plainText } from './output/plain-text.ts'
import type { Style, Terminal } from './output/terminal.ts'
import { type LogLevel, logLevels } from './settings.ts'

const styles: Readonly<Record<string, Style>> = {
  debug: 'dim',
  info: 'running',
  warn: 'late',
  error: 'failed',
}

export function streamLogger({ err, json }: Terminal, level: LogLevel): Logger {
  const write = (own: Exclude<LogLevel, 'silent'>) => (message: string, details?: object) => {
    if (logLevels.indexOf(own) < logLevels.indexOf(level)) return
    const error = details !== undefined && 'error' in details ? details.error : undefined
    const why = error instanceof Error ? error.message : undefined
    const at = new Date().toISOString()
    if (json) {
      err.write(JSON.stringify({ at, level: own, message, ...(why === undefined ? {} : { error: why }) }))
      return
    }
    const text = plainText(why === undefined ? message : `${message}: ${why}`)
    err.write(`${err.paint('dim', at)} ${err.paint(styles[own] ?? 'dim', own)} ${text}`)
    if (level === 'debug' && error instanceof Error) err.write(err.paint('dim', error.stack ?? ''))
  }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
