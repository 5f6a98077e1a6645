/** Reports an error to people or, as JSON, to programs: what failed, which field, what to do next. */
import { CommanderError } from 'commander'
import { EvertickError } from '../core/error.ts'
import { plainText } from './output/plain-text.ts'
import type { Terminal } from './output/terminal.ts'

interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly field?: string
  readonly next?: string
  readonly state?: string
  readonly asked?: string
  readonly actions?: readonly string[]
}

export function reportError(error: unknown, terminal: Terminal): void {
  // `evertick jobs` has already printed its help.
  if (isHelp(error) && !terminal.json) return
  const body = errorBody(error)
  if (terminal.json) {
    terminal.err.write(JSON.stringify({ error: body }))
    return
  }
  const { err } = terminal
  const named = body.field === undefined || body.message.includes(body.field.replace(/^-+/, ''))
  const field = named ? '' : err.paint('strong', `${plainText(body.field ?? '')}: `)
  err.write(`${err.paint('failed', '✗')} ${field}${plainText(body.message)}`)
  if (body.next !== undefined) err.write(`  ${err.paint('running', '→')} ${plainText(body.next)}`)
}

function errorBody(error: unknown): ErrorBody {
  if (error instanceof EvertickError) {
    const { code, message, field, next, transition } = error
    return {
      code,
      message,
      ...(field === undefined ? {} : { field }),
      ...(next === undefined ? {} : { next }),
      ...transition,
    }
  }
  if (error instanceof CommanderError) return usageBody(error)
  return {
    code: 'unexpected',
    message: messageOf(error),
    next: 'This looks like a bug. Run it again with EVERTICK_LOG_LEVEL=debug for a stack trace, and please report it.',
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.code === 'commander.help'
}

/** "error: unknown option '--jsn'\n(Did you mean --json?)" becomes a message and a next step. */
function usageBody(error: CommanderError): ErrorBody {
  if (isHelp(error)) {
    return {
      code: 'invalid_option',
      message: 'No command was given.',
      next: 'Add --help to list the commands.',
    }
  }
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n')
  const hint = /\((Did you mean .*\?)\)/.exec(rest.join(' '))?.[1]
  const message = first.charAt(0).toUpperCase() + first.slice(1)
  return {
    code: 'invalid_option',
    message: /[.?!]$/.test(message) ? message : `${message}.`,
    next: hint ?? 'Add --help to see the usage.',
  }
}
