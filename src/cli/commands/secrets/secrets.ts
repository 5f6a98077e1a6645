/** `evertick secrets`: the vault. No value is an argument, and none is printed. */
import type { Command } from 'commander'
import { exitCodes } from '../../exit-code.ts'
import { examples } from '../../help.ts'
import { actorText } from '../../output/actor-text.ts'
import { counted } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import { ProgressBar } from '../../output/progress-bar.ts'
import { writeTable } from '../../output/table.ts'
import { type Cli, withEvertick } from '../../session.ts'
import { readValue } from './read-value.ts'

export function addSecrets(program: Command, cli: Cli): void {
  const group = program
    .command('secrets')
    .alias('secret')
    .summary('values that jobs use by name')
    .description(
      'Manages secrets: values that jobs and handlers use by name. They are written, and never shown again.',
    )

  const set = group
    .command('set <name>')
    .description(
      'Sets a secret, new or known, to what standard input has. On a terminal it asks, and shows nothing.',
    )
    .action((name: string) =>
      withEvertick(cli, set, async ({ evertick, terminal, actor }) => {
        await evertick.secrets.set(name, await readValue(cli, name), { actor })
        terminal.report({ set: name }, `Set the secret "${plainText(name)}".`)
      }),
    )
  examples(set, [
    ['secrets set billing-token', 'asks for the value'],
    ['secrets set billing-token < token.txt', 'without the line break at its end'],
  ])

  const list = group
    .command('list')
    .description('Lists secrets: who set them and when, and which jobs name them. Never a value.')
    .action(() =>
      withEvertick(cli, list, async ({ evertick, terminal, times }) => {
        const secrets = await evertick.secrets.list()
        terminal.answer({ secrets }, (out) => {
          if (secrets.length === 0 && out.tty)
            return out.write('There are no secrets. Set one with `evertick secrets set NAME`.')
          writeTable(
            out,
            ['NAME', 'SET', 'BY', { title: 'USED BY', shrinks: true }],
            secrets.map(({ name, changedAt, changedBy, usedBy }) => [
              plainText(name),
              times.both(changedAt),
              actorText(changedBy),
              usedBy.length === 0 ? '–' : usedBy.map(plainText).join(', '),
            ]),
          )
        })
      }),
    )
  examples(list, [['secrets list']])

  const remove = group
    .command('delete <name>')
    .description('Deletes a secret. Refused while a job or a webhook names it.')
    .option('--force', 'also if it is used: the next run of those jobs fails')
    .action((name: string, { force = false }: { force?: boolean }) =>
      withEvertick(cli, remove, async ({ evertick, terminal, actor }) => {
        await evertick.secrets.delete(name, { force, actor })
        terminal.report({ deleted: name }, `Deleted the secret "${plainText(name)}".`)
      }),
    )
  examples(remove, [['secrets delete billing-token']])

  const rotate = group
    .command('rotate')
    .description(
      'Seals every secret anew under the newest key, while jobs run. Exits with code 7 if no key opens one of them.',
    )
    .action(() =>
      withEvertick(cli, rotate, async ({ evertick, terminal, actor }) => {
        const bar = new ProgressBar(terminal, 'Sealing')
        const rotated = await evertick.secrets
          .rotate({ actor, onProgress: bar.update })
          .finally(() => bar.end())
        const { resealed, unchanged, unreadable } = rotated
        const had = unchanged === 0 ? '' : `; ${unchanged.toLocaleString('en')} had the newest key already`
        const lost =
          unreadable.length === 0
            ? ''
            : ` No key of this machine opens what is in ${unreadable.map(plainText).join(', ')}.`
        terminal.report(rotated, `Sealed ${counted(resealed, 'secret')} anew${had}.${lost}`)
        if (unreadable.length > 0) cli.exitCode = exitCodes.problems
      }),
    )
  examples(rotate, [['secrets rotate', 'after EVERTICK_SECRETS_KEY was changed']])
}
