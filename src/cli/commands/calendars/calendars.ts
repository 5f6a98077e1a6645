/** `evertick calendars`: opening hours by name, which jobs share. */
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { counted } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import { writePairs, writeTable } from '../../output/table.ts'
import { type Cli, withEvertick } from '../../session.ts'

interface PutOptions {
  readonly open?: string[]
  readonly closed?: string[]
  readonly tz?: string
}

export function addCalendars(program: Command, cli: Cli): void {
  const group = program
    .command('calendars')
    .alias('calendar')
    .summary('opening hours and holidays that jobs share')
    .description('Manages calendars: opening hours and holidays by name, which the windows of jobs use.')

  const list = group
    .command('list')
    .description('Lists calendars and the jobs that have them.')
    .action(() =>
      withEvertick(cli, list, async ({ evertick, terminal, times }) => {
        const calendars = await evertick.calendars.list()
        terminal.answer({ calendars }, (out) => {
          if (calendars.length === 0 && out.tty)
            return out.write('There are no calendars. Make one with `evertick calendars put NAME`.')
          writeTable(
            out,
            ['NAME', 'VERSION', 'LINES', 'CHANGED', { title: 'USED BY', shrinks: true }],
            calendars.map(({ name, version, open, closed, changedAt, usedBy }) => [
              plainText(name),
              String(version),
              String(open.length + closed.length),
              times.both(changedAt),
              usedBy.length === 0 ? '–' : usedBy.map(plainText).join(', '),
            ]),
          )
        })
      }),
    )
  examples(list, [['calendars list']])

  const show = group
    .command('show <name>')
    .description('Shows a calendar, line by line.')
    .action((name: string) =>
      withEvertick(cli, show, async ({ evertick, terminal, times }) => {
        const calendar = await evertick.calendars.get(name)
        terminal.answer(calendar, (out) => {
          const lines = (all: readonly string[], none: string) =>
            all.length === 0 ? none : all.map(plainText).join('\n')
          writePairs(out, [
            ['calendar', out.paint('strong', plainText(calendar.name))],
            ['version', String(calendar.version)],
            ['zone', calendar.timezone ?? 'that of the job'],
            ['changed', `${times.both(calendar.changedAt)} by ${plainText(calendar.changedBy)}`],
            ['used by', calendar.usedBy.length === 0 ? 'no job' : calendar.usedBy.map(plainText).join(', ')],
            ['open', lines(calendar.open, 'always')],
            ['closed', lines(calendar.closed, 'never')],
          ])
        })
      }),
    )
  examples(show, [['calendars show holidays']])

  const put = group
    .command('put <name>')
    .description('Puts a calendar: a new one, or the next version of one. Its jobs have it at once.')
    .option('--open <line>', 'when it is open, such as "Mon-Fri 08:00-18:00"; may be given again', collect)
    .option('--closed <line>', 'when it is closed, such as 2026-12-25 or 12-25; may be given again', collect)
    .option('--tz <zone>', 'whose clock that is (default: that of the job)')
    .action((name: string, { open = [], closed = [], tz }: PutOptions) =>
      withEvertick(cli, put, async ({ evertick, terminal, actor }) => {
        const rules = { open, closed, ...(tz === undefined ? {} : { timezone: tz }) }
        const made = await evertick.calendars.put(name, rules, { actor })
        const jobs =
          made.usedBy.length === 0
            ? ''
            : `, which ${counted(made.usedBy.length, 'job')} now ${made.usedBy.length === 1 ? 'has' : 'have'}`
        terminal.report(made, `The calendar "${plainText(name)}" is at version ${made.version}${jobs}.`)
      }),
    )
  examples(put, [
    ['calendars put trading --open "Mon-Fri 09:30-16:00" --closed 2026-12-25 --tz America/New_York'],
    ['calendars put holidays --closed 12-25 --closed 01-01'],
  ])

  const fromFile = group
    .command('import <name> <file>')
    .description(
      'Makes the events of an iCal file the closed times of a calendar. Repeating ones: five years ahead.',
    )
    .option('--tz <zone>', 'whose clock that is (default: that of the calendar, else UTC)')
    .action((name: string, file: string, { tz }: { tz?: string }) =>
      withEvertick(cli, fromFile, async ({ evertick, terminal, actor }) => {
        const ical = await readFile(file, 'utf8')
        const options = { actor, ...(tz === undefined ? {} : { timezone: tz }) }
        const made = await evertick.calendars.import(name, ical, options)
        const events = counted(made.events, 'event')
        const lines = counted(made.closed.length, 'closed line')
        terminal.report(
          made,
          `Read ${events}: the calendar "${plainText(name)}" has ${lines}, version ${made.version}.`,
        )
      }),
    )
  examples(fromFile, [['calendars import holidays holidays.ics --tz Europe/Madrid']])

  const remove = group
    .command('delete <name>')
    .description('Deletes a calendar. Refused while a job has it.')
    .action((name: string) =>
      withEvertick(cli, remove, async ({ evertick, terminal, actor }) => {
        await evertick.calendars.delete(name, { actor })
        terminal.report({ deleted: name }, `Deleted the calendar "${plainText(name)}".`)
      }),
    )
  examples(remove, [['calendars delete holidays']])
}

function collect(line: string, before: string[] = []): string[] {
  return [...before, line]
}
