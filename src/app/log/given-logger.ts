/** Adapts the user's logger to the calls of the engine. */
import type { Logger } from '../../engine/logger.ts'
import type { LineLevel } from './log-level.ts'

/** pino takes the details first, and knows an error as `err`. */
type PinoLike = Readonly<Record<LineLevel, (details: object, message: string) => void>>

export function givenLogger(given: Logger): Logger {
  if (!isPino(given)) return given
  return eachLine((line) => (message, { error, ...details }: { error?: unknown } = {}) => {
    given[line](error === undefined ? details : { ...details, err: error }, message)
  })
}

/** Adds these fields to every line: the node and the trace. */
export function withFields(logger: Logger, fields: () => object): Logger {
  return eachLine((line) => (message, details) => logger[line](message, { ...fields(), ...details }))
}

function eachLine(make: (line: LineLevel) => (message: string, details?: object) => void): Logger {
  return { debug: make('debug'), info: make('info'), warn: make('warn'), error: make('error') }
}

function isPino(given: object): given is PinoLike {
  const has = (name: string) => typeof Reflect.get(given, name) === 'function'
  return has('bindings') && has('child') && has('isLevelEnabled')
}
