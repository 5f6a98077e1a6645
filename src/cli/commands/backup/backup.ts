/** `evertick backup`: all of the database, as it is at one moment, in one file. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { contextOf } from '../../../app/app-context.ts'
import { noteBackup } from '../../../app/backup/note-backup.ts'
import type { BackupResult } from '../../../app/backup/write-backup.ts'
import { EvertickError } from '../../../core/error.ts'
import type { Evertick } from '../../../evertick.ts'
import { messageOf } from '../../error-report.ts'
import { examples } from '../../help.ts'
import { bytesWords, counted } from '../../output/count-words.ts'
import { ProgressBar } from '../../output/progress-bar.ts'
import { actor, type Cli, databaseWords, settingsOf, withDatabase } from '../../session.ts'

interface BackupFlags {
  readonly replace?: boolean
}

export function addBackup(program: Command, cli: Cli): void {
  const command = program
    .command('backup')
    .summary('write the whole database to a file')
    .description(
      'Writes jobs, ticks, history, revisions and the audit log to one compressed file that any engine can restore. Nodes may go on: the file is of one moment. It appears under its name only once it is whole and on the disk.',
    )
    .argument('<file>', 'the file to write, or - for standard output')
    .option('--replace', 'replace a file of that name')
    .action(async (file: string, { replace = false }: BackupFlags) => {
      const settings = await settingsOf(cli, command)
      const toOutput = file === '-'
      if (toOutput) checkOutput(cli)
      cli.terminal.say(`Database: ${databaseWords(settings)}`)
      await withDatabase(cli, settings, { mayCreate: false }, async (evertick) => {
        const path = resolve(cli.cwd, file)
        const result = await written(cli, (onProgress) =>
          toOutput
            ? evertick.backup(cli.terminal.binary(), { onProgress })
            : evertick.backup(path, { onProgress, replace }),
        )
        // Also a user who may only read can make a backup.
        await noteBackup(contextOf(evertick), result, { actor: actor() }).catch((error: unknown) =>
          cli.terminal.say(`The audit log does not say so: ${messageOf(error)}`),
        )
        const sentence = `Backed up ${counted(result.rows, 'row')}, ${bytesWords(result.bytes)}. SHA-256 ${result.sha256}`
        if (toOutput) cli.terminal.say(sentence)
        else cli.terminal.report({ file: path, ...result }, sentence, path)
      })
    })
  examples(command, [
    ['backup evertick.backup'],
    ['backup --database mysql://… nightly.backup --replace'],
    ['backup - | ssh vault "cat > evertick.backup"', 'the words go to standard error'],
  ])
}

async function written(
  { terminal }: Cli,
  write: (onProgress: ProgressBar['update']) => ReturnType<Evertick['backup']>,
): Promise<BackupResult> {
  const bar = new ProgressBar(terminal, 'Backing up')
  return await write(bar.update).finally(() => bar.end())
}

function checkOutput({ terminal }: Cli): void {
  if (!terminal.json && !terminal.out.tty) return
  const why = terminal.json
    ? 'Standard output cannot have both the backup and the JSON of --json.'
    : 'A backup is compressed, and would fill your terminal with what it cannot show.'
  throw new EvertickError('invalid_option', why, { next: 'Name a file.' })
}
