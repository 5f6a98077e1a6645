import { printableText } from '../../core/printable-text.ts'

/**
 * The command of a crontab's line. The first `%` that no backslash stands before ends it: what follows is its standard
 * input, and each further `%` there a new line. `\%` is a plain `%`; a backslash before anything else is itself.
 */
export interface CommandText {
  readonly command: string
  readonly stdin: string | null
}

export function parseCommand(text: string): CommandText {
  const [command = '', ...lines] = splitAtPercents(text)
  return { command: command.trimEnd(), stdin: lines.length === 0 ? null : lines.join('\n') }
}

/** Null where no line says it: a new line or another control character in it, or a backslash right before a `%`. */
export function writeCommand({ command, stdin }: CommandText): string | null {
  const escaped = [command, ...(stdin === null ? [] : stdin.split('\n'))].map((part) =>
    part.replaceAll('%', '\\%'),
  )
  const text = escaped.join('%')
  const read = parseCommand(text)
  const isPlain = printableText(text) === text && !text.includes('\n')
  return read.command === command && read.stdin === stdin && isPlain && command !== '' ? text : null
}

function splitAtPercents(text: string): string[] {
  const parts = ['']
  let escaped = false
  const add = (character: string) => parts.push((parts.pop() ?? '') + character)
  for (const character of text) {
    if (escaped) {
      add(character === '%' ? '%' : `\\${character}`)
      escaped = false
    } else if (character === '\\') escaped = true
    else if (character === '%') parts.push('')
    else add(character)
  }
  if (escaped) add('\\')
  return parts
}
