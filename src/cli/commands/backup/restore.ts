/** `evertick restore`: a backup becomes the database, all of it or nothing. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { EvertickError } from '../../../core/error.ts'
import { examples } from '../../help.ts'
import { counted } from '../../output/count-words.ts'
import { ProgressBar } from '../../output/progress-bar.ts'
import { actor, type Cli, databaseToMake, databaseWords, settingsOf, withDatabase } from '../../session.ts'

interface RestoreFlags {
  readonly force?: boolean
}

export function addRestore(program: Command, cli: Cli): void {
  const command = program
    .command('restore')
    .summary('replace the database by a backup')
    .description(
      'Checks the whole file before the first write, and writes it in one transaction. Refuses a database that has jobs, or on which a node was seen within the last minute. Workers and leaders from before can write nothing afterwards.',
    )
    .argument('<file>', 'what `evertick backup` wrote')
    .option('--force', 'replace jobs and their history, whoever works on them')
    .action(async (file: string, { force = false }: RestoreFlags) => {
      if (file === '-') throw notFromInput()
      const settings = await settingsOf(cli, command)
      const url = databaseToMake(cli, settings)
      cli.terminal.say(`Database: ${databaseWords(settings)}`)
      const database = settings.database ?? { url, from: 'the default' }
      await withDatabase(cli, { ...settings, database }, { mayCreate: true }, async (evertick) => {
        const bars = {
          checking: new ProgressBar(cli.terminal, 'Checking'),
          writing: new ProgressBar(cli.terminal, 'Restoring'),
        }
        const path = resolve(cli.cwd, file)
        const result = await evertick
          .restore(path, {
            force,
            actor: actor(),
            onProgress: (done, total, phase) => bars[phase].update(done, total),
          })
          .finally(() => bars.writing.end())
        cli.terminal.report(
          { file: path, ...result },
          `Restored ${counted(result.rows, 'row')} of ${result.madeAt.toISOString()}. Ticks since then are missed ticks: the first node accounts for them by each job’s catch-up policy.\nProve the rest with \`evertick audit\`.`,
        )
      })
    })
  examples(command, [
    ['restore evertick.backup'],
    ['restore --database mysql://… evertick.backup', 'into another engine'],
    ['restore evertick.backup --force', 'replace what is there'],
  ])
}

function notFromInput(): EvertickError {
  return new EvertickError(
    'invalid_option',
    'A backup is read twice, so it cannot come from standard input.',
    {
      next: 'Write it to a file first, and name that.',
    },
  )
}
