/** `evertick export`: jobs as a file of jobs, or as a crontab. The crontab's part: prints the jobs as a crontab, and those that it cannot express as comments. */
import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { counted } from '../../output/count-words.ts'
import { type Cli, withEvertick } from '../../session.ts'
import { addExportJobs } from '../files/export-jobs.ts'
import { type FormatFlags, formatOf } from './format-flags.ts'

export function addExport(program: Command, cli: Cli): void {
  const group = program
    .command('export')
    .summary('export jobs as YAML, JSON or a crontab')
    .description('Exports jobs: as a file that `apply` takes, or for other schedulers.')
  addExportJobs(group, cli, 'yaml')
  addExportJobs(group, cli, 'json')
  const crontab = group
    .command('crontab')
    .description(
      'Prints the jobs as a crontab. Commands that EVERTICK_ALLOW_COMMANDS or a live node allows are written as they are, all other jobs as `evertick jobs trigger …`. Jobs that a crontab cannot express follow as comments that say why.',
    )
    .option('--system', 'with a user before each command (default: if an imported job had one)')
    .option('--user', 'without a user')
    .action((flags: FormatFlags) => {
      const format = formatOf(crontab, flags)
      return withEvertick(cli, crontab, async ({ evertick, terminal }) => {
        const result = await evertick.exportCrontab(format)
        terminal.answer(result, (out) => {
          out.writeText(result.crontab)
          const left = result.leftOut.length
          terminal.say(
            `Exported ${counted(result.exported.length, 'job')}${left === 0 ? '' : `, left out ${left}: see the comments`}.`,
          )
        })
      })
    })
  examples(crontab, [['export crontab > jobs.crontab'], ['export crontab --system --json']])
}
