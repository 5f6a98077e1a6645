/** `evertick export crontab`: the jobs as a crontab, on standard output; those that none can say as comments. */
import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { counted } from '../../output/count-words.ts'
import { type Cli, withEvertick } from '../../session.ts'
import { type FormatFlags, formatOf } from './format-flags.ts'

export function addExport(program: Command, cli: Cli): void {
  const group = program
    .command('export')
    .summary('write jobs as a crontab')
    .description('Writes jobs for elsewhere.')
  const crontab = group
    .command('crontab')
    .description(
      'Writes the jobs as a crontab: commands that EVERTICK_ALLOW_COMMANDS or a living node allows as they are, other jobs as `evertick jobs trigger …`. Jobs that a crontab cannot say stand below, as comments with why.',
    )
    .option('--system', 'with a user before each command (default: where an imported job had one)')
    .option('--user', 'without a user')
    .action((flags: FormatFlags) => {
      const format = formatOf(crontab, flags)
      return withEvertick(cli, crontab, async ({ evertick, terminal }) => {
        const result = await evertick.exportCrontab(format)
        terminal.answer(result, (out) => {
          out.writeText(result.crontab)
          const left = result.leftOut.length
          terminal.say(
            `${counted(result.exported.length, 'job')} written${left === 0 ? '' : `, ${left} left out: see the comments`}.`,
          )
        })
      })
    })
  examples(crontab, [['export crontab > jobs.crontab'], ['export crontab --system --json']])
}
