/** `evertick why`: why a job or an execution is not running, and what to do next. */
import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Cli, withEvertick } from '../../session.ts'

export function addWhy(program: Command, cli: Cli): void {
  const command = program
    .command('why <job|execution>')
    .summary('why a job or an execution is not running')
    .description('Says in one sentence why a job or an execution is not running, and what to do about it.')
    .action((reference: string) =>
      withEvertick(cli, command, async ({ evertick, terminal }) => {
        const why = await evertick.why(reference)
        terminal.answer(why, (out) => {
          out.write(plainText(why.sentence))
          if (why.next !== undefined) out.write(out.paint('dim', plainText(why.next)))
        })
      }),
    )
  examples(command, [['why nightly-report'], ['why 019e2b…']])
}
