/** Help with examples on every command. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Terminal } from './output/terminal.ts'

/** Each line is what comes after `evertick`, and what it does. */
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
    throw new InvalidArgumentError(`It is not a whole number from ${least} to ${most}.`)
  }
}

export function jsonValue(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch (error) {
    throw new InvalidArgumentError(`It is not JSON: ${(error as Error).message}.`)
  }
}

export function jsonObject(value: string): Record<string, unknown> {
  const parsed = jsonValue(value)
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
    return parsed as Record<string, unknown>
  throw new InvalidArgumentError('It is not a JSON object.')
}

/** For an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

export function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values)
}

export function sayMore(terminal: Terminal, nextCursor: string | number | null): void {
  if (nextCursor !== null) terminal.say(`There are more: add --cursor ${JSON.stringify(nextCursor)}.`)
}

export function pageOptions(command: Command, limit = 100): Command {
  return command
    .option('--limit <n>', `at most this many (default ${limit})`, wholeNumber(1, 1_000_000))
    .option('--cursor <cursor>', 'go on where the page before ended')
}
