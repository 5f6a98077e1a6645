/** What the commands’ help and options have in common. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Terminal } from './output/terminal.ts'

/** Each line: what follows `evertick`, and a comment on what it does. */
export function examples(command: Command, lines: readonly (readonly [string, string?])[]): Command {
  const width = Math.max(...lines.map(([line]) => line.length))
  const shown = lines.map(([line, what]) =>
    what === undefined ? `  $ evertick ${line}` : `  $ evertick ${line.padEnd(width)}  # ${what}`,
  )
  return command.addHelpText('after', `\nExamples:\n${shown.join('\n')}`)
}

export function wholeNumber(least = 0, most = Number.MAX_SAFE_INTEGER): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (/^-?\d+$/.test(value) && number >= least && number <= most) return number
    throw new InvalidArgumentError(`Expected a whole number ${rangeWords(least, most)}.`)
  }
}

function rangeWords(least: number, most: number): string {
  return most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`
}

export function jsonValue(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch (error) {
    throw new InvalidArgumentError(`Expected JSON: ${(error as Error).message}.`)
  }
}

export function jsonObject(value: string): Record<string, unknown> {
  const parsed = jsonValue(value)
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
    return parsed as Record<string, unknown>
  throw new InvalidArgumentError('Expected a JSON object.')
}

/** For an option that can be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

export function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values)
}

export function sayMore(terminal: Terminal, nextCursor: string | number | null): void {
  if (nextCursor !== null)
    terminal.say(`There are more. Add --cursor ${JSON.stringify(nextCursor)} to see them.`)
}

export function pageOptions(command: Command, limit = 100): Command {
  return command
    .option('--limit <n>', `list at most this many (default ${limit})`, wholeNumber(1, 1_000_000))
    .option('--cursor <cursor>', 'continue where the previous page ended')
}
