/** `evertick import`: jobs of an export, of a crontab, or of another system's tables. The crontab's part: imports the lines of a crontab as jobs, and reports what needs attention. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readStream } from 'node:stream/consumers'
import type { Command } from 'commander'
import { type ImportedCrontab, importCrontab } from '../../../app/crontab/import-crontab.ts'
import { EvertickError } from '../../../core/error.ts'
import { exitCodes } from '../../exit-code.ts'
import { examples } from '../../help.ts'
import { counted } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import { writeTable } from '../../output/table.ts'
import type { Terminal } from '../../output/terminal.ts'
import { type Cli, withEvertick } from '../../session.ts'
import { addAdopt } from '../adopt/adopt.ts'
import { addImportJobs } from '../files/export-jobs.ts'
import { type FormatFlags, formatOf } from './format-flags.ts'

interface ImportFlags extends FormatFlags {
  readonly tz?: string
  readonly dryRun?: true
}

export function addImport(program: Command, cli: Cli): void {
  const group = program
    .command('import')
    .summary('import jobs from an export, a crontab or the tables of another scheduler')
    .description('Imports jobs from another database, or from other schedulers.')
  addImportJobs(group, cli)
  const crontab = group
    .command('crontab')
    .description(
      'Creates a job for each line of a crontab, and lists the lines that need your attention. A line that needs no shell becomes a command. Any other line becomes a job that needs a handler, with the command in its metadata. Importing again only changes what has changed. Exits with code 7 if a line could not be imported.',
    )
    .argument('<file>', 'the crontab; - reads standard input: crontab -l | evertick import crontab -')
    .option('--system', 'lines have a user before the command, as in /etc/crontab (default: detected)')
    .option('--user', 'lines have no user')
    .option('--tz <zone>', 'the time zone of lines without CRON_TZ (default: the configured one, else UTC)')
    .option('--dry-run', 'only show what would be done')
    .action((file: string, flags: ImportFlags) => {
      const format = formatOf(crontab, flags)
      return withEvertick(
        cli,
        crontab,
        async ({ evertick, terminal, actor }) => {
          const result = await importCrontab(evertick.jobs, await readCrontab(cli, file), {
            actor,
            ...format,
            ...(flags.tz === undefined ? {} : { timezone: flags.tz }),
            ...(flags.dryRun === true ? { dryRun: true } : {}),
          })
          if (failures(result) > 0) cli.exitCode = exitCodes.problems
          show(terminal, result, flags.dryRun === true)
        },
        flags.dryRun === true ? { inMemoryIfMissing: true } : { mayCreate: true },
      )
    })
  examples(crontab, [
    ['import crontab /etc/crontab --dry-run'],
    ['import crontab backup.crontab --tz Europe/Madrid'],
    ['import crontab - --json', 'what `crontab -l` prints, on standard input'],
  ])
  addAdopt(group, cli)
}

async function readCrontab({ cwd }: Cli, file: string): Promise<string> {
  if (file === '-') return await readStream(process.stdin)
  try {
    return await readFile(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw new EvertickError('file_not_found', `Cannot read ${file}.`, {
      field: 'file',
      next: 'Check its name and permissions, or pipe it in: crontab -l | evertick import crontab -',
      cause: error,
    })
  }
}

/** How many lines will not run here. */
function failures({ conflicts, unsupported }: ImportedCrontab): number {
  return conflicts.length + unsupported.filter(({ kind }) => kind === 'job').length
}

function show(terminal: Terminal, result: ImportedCrontab, dryRun: boolean): void {
  const { format, created, updated, unchanged, conflicts, unsupported } = result
  terminal.answer({ ...result, dryRun }, (out) => {
    const would = dryRun ? ' (dry run: nothing was written)' : ''
    terminal.say(
      `A ${format} crontab: ${created.length} created, ${updated.length} updated, ${unchanged.length} unchanged${would}.`,
    )
    const rows = [
      ...created.map((job) => [plainText(job), 'created']),
      ...updated.map((job) => [plainText(job), 'updated']),
      ...unchanged.map((job) => [plainText(job), 'unchanged']),
    ]
    if (rows.length > 0) writeTable(out, ['JOB', 'RESULT'], rows)
    const left = [...conflicts.map(({ line, job, why }) => ({ line, text: job, why })), ...unsupported].sort(
      (one, other) => one.line - other.line,
    )
    if (left.length > 0) {
      terminal.say(`\n${counted(left.length, 'line')} not imported:`)
      const columns = [{ title: 'LINE', align: 'right' }, { title: 'TEXT', shrinks: true }, 'WHY'] as const
      writeTable(
        out,
        columns,
        left.map(({ line, text, why }) => [String(line), plainText(text), plainText(why)]),
      )
    }
    if (!dryRun) sayWhatRuns(terminal, result)
  })
}

function sayWhatRuns(terminal: Terminal, { created, commands }: ImportedCrontab): void {
  if (commands.length > 0) {
    const programs = [...new Set(commands.map(({ command }) => command))]
    terminal.say(
      `\n${counted(commands.length, 'job')} will run once a worker allows the command: EVERTICK_ALLOW_COMMANDS=${plainText(programs.join(':'))}`,
    )
  }
  const running = new Set(commands.map(({ job }) => job))
  const others = created.filter((job) => !running.has(job))
  if (others.length === 0) return
  terminal.say(
    `\nGive ${others.map(plainText).join(', ')} a handler that a node has: \`evertick jobs update <job> --handler <name>\`. The command is in the job’s metadata.`,
  )
}
