/** What an import of another system's tables did, or would do: what became what, and what is left and why. */
import type { AdoptedJobs } from '../../../compat/adopt/adopt-jobs.ts'
import type { AdoptReport } from '../../../compat/adopt/adoption.ts'
import type { WayBack } from '../../../compat/adopt/back.ts'
import type { AdoptedProcessingJobs } from '../../../compat/adopt/processing-jobs.ts'
import { exitCodes } from '../../exit-code.ts'
import { counted } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, writeTable } from '../../output/table.ts'
import type { Stream } from '../../output/terminal.ts'
import type { Cli } from '../../session.ts'

/** A person reads no more than this of a list; programs have `--json`. */
const mostRows = 30

export function showAdopted(cli: Cli, report: AdoptReport | AdoptedProcessingJobs): void {
  tellLeft(cli, report)
  const { terminal } = cli
  terminal.answer(report, (out) => {
    const alive = 'alive' in report ? report.alive : 0
    if (alive > 0 && !report.dryRun) {
      const are = alive === 1 ? 'is' : 'are'
      terminal.say(
        `Nothing was imported: ${counted(alive, 'lease')} in ${report.table} ${are} alive, so old workers are at work.\nStop them, and import again; with --workers-stopped at once.`,
      )
    } else {
      say(cli, report)
      writeGroups(out, report)
    }
    writeLeft(cli, out, report)
  })
}

export function showJobs(cli: Cli, report: AdoptedJobs): void {
  tellLeft(cli, report)
  const { terminal } = cli
  terminal.answer(report, (out) => {
    say(cli, report)
    const columns: readonly Column[] = [
      { title: 'JOB', shrinks: true },
      'RESULT',
      { title: 'WHAT', shrinks: true },
    ]
    const shown = out.tty ? report.jobs.slice(0, mostRows) : report.jobs
    if (shown.length > 0) {
      const rows = shown.map(({ job, result, says }) => [job, result, says].map(plainText))
      writeTable(out, columns, rows)
    }
    if (out.tty) sayMore(cli, report.jobs.length)
    writeGroups(out, report)
    writeLeft(cli, out, report)
    const { startAt, dryRun, jobs } = report
    if (dryRun) return
    const held = jobs.filter((job) => job.held).length
    if (held > 0)
      terminal.say(
        `\n${counted(held, 'job')} ${held === 1 ? 'is' : 'are'} held, so the old scheduler may go on. To switch, import again with --start-at, and stop the old one at that instant.`,
      )
    else if (startAt !== null)
      terminal.say(`\nStop the old scheduler at ${startAt.toISOString()}: from then on, Evertick fires.`)
  })
}

export function showWayBack(cli: Cli, back: WayBack): void {
  tellLeft(cli, back)
  cli.terminal.answer(back, (out) => {
    for (const statement of back.sql) out.writeText(`${statement}\n`)
    cli.terminal.say(
      `${counted(back.sql.length, 'row')} of ${back.table} ${back.sql.length === 1 ? 'has' : 'have'} changed here. Stop the workers of Evertick before you run the SQL there.`,
    )
    for (const { row, why, next } of back.left) cli.terminal.say(`Row ${row}: ${why}. ${next}`)
  })
}

function tellLeft(cli: Cli, { left }: AdoptReport): void {
  if (left.length > 0) cli.exitCode = exitCodes.problems
}

function say({ terminal }: Cli, { table, rows, left, dryRun }: AdoptReport): void {
  const dry = dryRun ? ' (dry run: nothing was written)' : ''
  terminal.say(`Read ${counted(rows, 'row')} of ${table}, ${left.length.toLocaleString('en')} left${dry}.`)
}

function writeGroups(out: Stream, { groups }: AdoptReport): void {
  if (groups.length === 0) return
  const columns = ['WAS', { title: 'ROWS', align: 'right' }, 'BECOMES'] as const
  writeTable(
    out,
    columns,
    groups.map(({ was, rows, becomes }) => [was, rows.toLocaleString('en'), becomes]),
  )
}

function writeLeft(cli: Cli, out: Stream, { left }: AdoptReport): void {
  if (left.length === 0) return
  cli.terminal.say(`\n${counted(left.length, 'row')} not imported:`)
  if (!out.tty) {
    writeTable(
      out,
      ['ROW', 'WHY', 'NEXT'],
      left.map(({ row, why, next }) => [row, why, next]),
    )
    return
  }
  // Two sentences for each: side by side they would be cut on most terminals.
  for (const { row, why, next } of left.slice(0, mostRows)) {
    const id = plainText(row)
    out.write(`${id}  ${plainText(why)}`)
    out.write(`${' '.repeat(id.length)}  ${out.paint('dim', plainText(next))}`)
  }
  sayMore(cli, left.length)
}

function sayMore({ terminal }: Cli, rows: number): void {
  if (rows > mostRows) terminal.say(`… and ${counted(rows - mostRows, 'row')} more: --json has all of them.`)
}
