/** `evertick cron`: an expression in words, its next runs, and how clock changes affect it. Needs no database. */
import type { Command } from 'commander'
import { previewSchedule } from '../../../app/job/preview-schedule.ts'
import type { CronSchedule } from '../../../core/schedule/schedule.ts'
import { parseTimezone } from '../../../core/schedule/timezone.ts'
import { examples, wholeNumber } from '../../help.ts'
import { instantArgument } from '../../instant-argument.ts'
import { writeTable } from '../../output/table.ts'
import type { Stream } from '../../output/terminal.ts'
import { localFormat, localText, relativeWords } from '../../output/times.ts'
import type { Cli } from '../../session.ts'

interface CronOptions {
  readonly tz?: string
  readonly from?: string
  readonly count: number
  readonly name?: string
}

export function addCron(program: Command, cli: Cli): void {
  const command = program
    .command('cron <expression...>')
    .summary('explain a cron expression and list its next runs')
    .description(
      'Explains a cron expression, lists its next runs and warns about clock changes. Needs no database.',
    )
    .option('--tz <zone>', 'time zone (default: EVERTICK_TIMEZONE, else UTC)')
    .option('--from <instant>', 'list the runs after this instant (default: now)')
    .option('--count <n>', 'how many runs to list', wholeNumber(1, 100_000), 5)
    .option('--name <job>', 'the job’s name, which determines H')
    .action((expression: string[], options: CronOptions) => show(cli, expression.join(' '), options))
  examples(command, [
    ['cron "0 9 * * 1-5" --tz Europe/Madrid'],
    ['cron "30 2 * * *" --tz America/New_York --from 2027-03-01T00:00:00Z --count 20'],
  ])
}

function show({ terminal, env }: Cli, cron: string, { tz, from, count, name }: CronOptions): void {
  const now = Date.now()
  const start = from === undefined ? new Date(now) : instantArgument(from, 'from', now)
  const given = tz ?? env.EVERTICK_TIMEZONE
  const schedule: CronSchedule = given === undefined || given === '' ? { cron } : { cron, timezone: given }
  const preview = previewSchedule(schedule, { from: start, count, ...(name === undefined ? {} : { name }) })
  const { description, next, warnings } = preview
  terminal.answer(preview, (out) => {
    out.write(out.paint('strong', description))
    out.write('')
    writeRuns(out, next, parseTimezone(schedule.timezone ?? 'UTC', 'tz'), now)
    if (next.length === 0) out.write('It never runs after that.')
    if (warnings.length > 0) out.write('')
    for (const warning of warnings) out.write(`${out.paint('late', '!')} ${warning}`)
  })
}

function writeRuns(out: Stream, runs: readonly Date[], timezone: string, now: number): void {
  if (runs.length === 0) return
  const weekday = new Intl.DateTimeFormat('en', { timeZone: timezone, weekday: 'short' })
  const format = localFormat(timezone)
  const local = (at: Date) => `${weekday.format(at)} ${localText(format, at).join(' ')}`
  const away = (at: Date) => relativeWords(at.getTime() - now)
  if (timezone === 'UTC') {
    const rows = runs.map((at) => [local(at), away(at)])
    writeTable(out, ['NEXT RUNS, UTC', ''], rows)
    return
  }
  const utc = localFormat('UTC')
  const rows = runs.map((at) => [local(at), localText(utc, at).join(' '), away(at)])
  writeTable(out, [`NEXT RUNS, ${timezone}`, 'UTC', ''], rows)
}
