import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { instantArgument } from '../../src/cli/instant-argument.ts'
import { widthOf } from '../../src/cli/output/plain-text.ts'
import { tableLines } from '../../src/cli/output/table.ts'
import { Terminal } from '../../src/cli/output/terminal.ts'
import { durationWords, relativeWords } from '../../src/cli/output/times.ts'
import { createProgram } from '../../src/cli/program.ts'
import { sharedHistory } from './history.ts'
import { runCli } from './run-cli.ts'

describe('for a program that reads along', () => {
  const history = sharedHistory()

  test('tables are tabs and ISO instants, without colour', async () => {
    const { stdout } = await runCli(['jobs', 'list'], history())
    const [heading, first] = stdout.split('\n')
    expect(heading).toBe('STATUS\tHEALTH\tJOB\tSCHEDULE\tNEXT RUN\tLAST RUN')
    expect(first).toMatch(/^scheduled\t\w+\teach-minute\tEvery 1 minute\t\d{4}-.*Z\t\d{4}-.*Z$/)
    expect(stdout).not.toContain('\u001b[')
  })

  test('explain is a ledger in sentences', async () => {
    const span = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-01T00:12:30Z']
    const folded = await runCli(['explain', 'minutely', ...span], history())
    expect(folded.stdout).toMatch(/coalesced into the run of \S+, \d+ ticks/)
    expect(folded.stdout).toMatch(/\d+ ticks: .* fired.* None is unaccounted for\./)
    const all = await runCli(['explain', 'each-minute', ...span], history())
    expect(all.stdout).toMatch(/caught up/)
    expect(all.stdout).toMatch(/skipped, missed, and beyond the limit of missed runs/)
    const failing = await runCli(['explain', 'failing', ...span], history())
    expect(failing.stdout).toContain('failed after 2 attempts: the disk is on fire')
  })
})

test('every command has help, with examples', () => {
  const terminal = new Terminal(process.stdout, process.stderr, false)
  const program = createProgram({ terminal, env: {}, cwd: '.', exitCode: 0 })
  const leaves = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
  const helpOf = (command: Command) => {
    let help = ''
    command
      .configureOutput({
        writeOut: (text) => {
          help += text
        },
      })
      .outputHelp()
    return help
  }
  const poor = leaves(program).filter(
    (command) =>
      !/^[A-Z].*\.$/.test(command.description()) || !helpOf(command).includes('Examples:\n  $ evertick '),
  )
  expect(poor.map((command) => command.name())).toEqual([])
})

test('a table fits the terminal, whatever the letters', () => {
  const columns = [
    { title: 'JOB' },
    { title: 'WHAT', shrinks: true as const },
    { title: 'N', align: 'right' as const },
  ]
  const rows = [
    ['日次レポート', 'a long sentence that has to give way', '1', 'left out'],
    ['plain', 'short', '12', 'left out'],
  ]
  const lines = tableLines(columns, rows, 40, (title) => title)
  expect(lines.map(widthOf)).toEqual([40, 40, 40])
  const narrow = tableLines(
    [...columns, { title: 'MORE', optional: true as const }],
    rows,
    40,
    (title) => title,
  )
  expect(narrow).toEqual(lines)
  expect(lines[1]).toContain('…')
})

test('instants as people type them', () => {
  const now = Date.UTC(2026, 0, 1, 12)
  const at = (text: string) => instantArgument(text, 'from', now).toISOString()
  expect(at('now')).toBe('2026-01-01T12:00:00.000Z')
  expect(at('2h')).toBe('2026-01-01T10:00:00.000Z')
  expect(at('1h30m ago')).toBe('2026-01-01T10:30:00.000Z')
  expect(at('-1d')).toBe('2025-12-31T12:00:00.000Z')
  expect(at('+30m')).toBe('2026-01-01T12:30:00.000Z')
  expect(at('2026-01-01T09:00:00+02:00')).toBe('2026-01-01T07:00:00.000Z')
  expect(() => at('2026-01-01T09:00')).toThrow('no offset')
})

test('durations in at most two units', () => {
  expect([12, 1_200, 59_000, 184_000, 7_500_000, 274_000_000].map(durationWords)).toEqual([
    '12 ms',
    '1.2 s',
    '59 s',
    '3 min 4 s',
    '2 h 5 min',
    '3 d 4 h',
  ])
  expect([240_000, -12_000, 100].map(relativeWords)).toEqual(['in 4 min', '12 s ago', 'now'])
})
