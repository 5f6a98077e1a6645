/** `evertick jobs convert`: turns crons that are true intervals into intervals and, with `--back`, into crons again. */
import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { counted } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import { writeTable } from '../../output/table.ts'
import { type Cli, withEvertick } from '../../session.ts'

export function addConvert(jobs: Command, cli: Cli): void {
  const command = jobs
    .command('convert')
    .description(
      'Converts cron jobs whose ticks are always evenly spaced to intervals, and lists those it cannot convert.',
    )
    .option('--back', 'convert them back to their cron')
    .option('--dry-run', 'only show what would be converted')
    .action((options: { dryRun?: true; back?: true }) =>
      withEvertick(cli, command, async ({ evertick, terminal, actor }) => {
        const result = await evertick.jobs.convert({ ...options, actor })
        const verb = options.dryRun === true ? 'would become' : 'became'
        const [from, to] =
          options.back === true ? ['interval job', 'a cron again'] : ['cron job', 'an interval']
        terminal.answer(result, (out) => {
          terminal.say(`${counted(result.converted, from)} ${verb} ${to}.`)
          if (result.converted > 0) {
            const rows = result.intervals.map(({ job, cron, every }) => [
              plainText(job),
              cron,
              `every ${every}`,
            ])
            writeTable(out, ['CONVERTED', 'CRON', 'INTERVAL'], rows)
          }
          if (result.manual.length === 0) return
          terminal.say(`\n${counted(result.manual.length, 'job')} must be converted by hand:`)
          const rows = result.manual.map(({ job, cron, why }) => [plainText(job), cron, why])
          writeTable(out, ['JOB', 'CRON', 'WHY'], rows)
        })
      }),
    )
  examples(command, [
    ['jobs convert --dry-run'],
    ['jobs convert'],
    ['jobs convert --back', 'undo the conversion'],
  ])
}
