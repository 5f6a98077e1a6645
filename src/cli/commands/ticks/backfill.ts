/** `evertick backfill`: creates executions for the ticks of a past span. */
import type { Command } from 'commander'
import { choice, examples, wholeNumber } from '../../help.ts'
import { instantArgument } from '../../instant-argument.ts'
import { counted } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'

interface BackfillOptions {
  readonly from: string
  readonly to: string
  readonly dryRun?: true
  readonly limit?: number
  readonly order?: 'oldest_first' | 'newest_first'
}

export function addBackfill(program: Command, cli: Cli): void {
  const command = program
    .command('backfill <job>')
    .summary('run a job for past ticks')
    .description(
      'Creates an execution for every tick from --from to --to, whatever happened to that tick. They run one at a time, after everything that is due.',
    )
    .requiredOption('--from <instant>', 'start here: ISO 8601, or 2d for two days ago')
    .requiredOption('--to <instant>', 'end before this')
    .option('--dry-run', 'only count the ticks')
    .option('--limit <n>', 'refuse to create more than this (default 1000)', wholeNumber(1, 1_000_000))
    .addOption(
      choice('--order <order>', 'which ticks run first (default: oldest_first)', [
        'oldest_first',
        'newest_first',
      ]),
    )
    .action((job: string, options: BackfillOptions) =>
      withEvertick(cli, command, (session) => backfill(session, job, options)),
    )
  examples(command, [
    ['backfill nightly-report --from 7d --to now --dry-run', 'how many would run?'],
    ['backfill nightly-report --from 2027-03-01T00:00:00Z --to 2027-03-08T00:00:00Z'],
  ])
}

async function backfill(
  { evertick, terminal, times, actor }: Session,
  job: string,
  { from, to, ...options }: BackfillOptions,
): Promise<void> {
  const now = Date.now()
  const span = { from: instantArgument(from, 'from', now), to: instantArgument(to, 'to', now) }
  const result = await evertick.jobs.backfill(job, { ...span, ...options, actor })
  const { ticks, created, first, last } = result
  const body = { ...result, dryRun: options.dryRun === true }
  if (terminal.json) return terminal.data(body)
  const where = first === null || last === null ? '' : `, ${times.full(first)} to ${times.full(last)}`
  const ticksText = `${counted(ticks, 'tick')} of "${plainText(job)}"${where}`
  if (body.dryRun) terminal.out.write(`${ticksText} would run. Remove --dry-run to run them.`)
  else
    terminal.out.write(
      `${ticksText}: created ${counted(created, 'execution')}. They run after everything that is due.`,
    )
}
