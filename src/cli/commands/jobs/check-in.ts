/** `evertick jobs rotate-check-in` */
import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Cli, withEvertick } from '../../session.ts'

export function addRotateCheckIn(parent: Command, cli: Cli): void {
  const command = parent
    .command('rotate-check-in <job>')
    .description(
      'Makes the address that a job which runs elsewhere calls for its check-ins. The one before stops working.',
    )
    .action((job: string) =>
      withEvertick(cli, command, async ({ evertick, terminal, actor }) => {
        const made = await evertick.jobs.rotateCheckIn(job, { actor })
        const words = `The address of "${plainText(job)}", below that of your server, is shown once:`
        terminal.report(made, words, made.path)
      }),
    )
  examples(command, [['jobs rotate-check-in backup']])
}
