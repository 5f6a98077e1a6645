/** `evertick limits`: limits that the cluster shares. */
import type { Command } from 'commander'
import { limitForm } from '../../../core/job/limit-form.ts'
import { examples } from '../../help.ts'
import { plainText } from '../../output/plain-text.ts'
import { writeTable } from '../../output/table.ts'
import { type Cli, withEvertick } from '../../session.ts'
import { limitOfFlags } from './limit-flags.ts'

export function addLimits(program: Command, cli: Cli): void {
  const group = program
    .command('limits')
    .alias('limit')
    .summary('limits that jobs share')
    .description('Manages limits that the cluster shares. A job shares one by `--limit NAME`.')

  const list = group
    .command('list')
    .description('Lists limits, and how much runs and waits under each.')
    .action(() =>
      withEvertick(cli, list, async ({ evertick, terminal, times }) => {
        const limits = await evertick.limits.list()
        terminal.answer({ limits }, (out) => {
          if (limits.length === 0 && out.tty)
            return out.write('There are no limits. Set one with `evertick limits set NAME --concurrency 5`.')
          const right = { align: 'right' } as const
          writeTable(
            out,
            [
              'LIMIT',
              'NUMBERS',
              { title: 'RUNNING', ...right },
              { title: 'WAITING', ...right },
              'SET',
              { title: 'JOBS', shrinks: true },
            ],
            limits.map(({ name, concurrency, rate, running, waiting, changedAt, jobs }) => [
              plainText(name),
              numbersText({
                ...(concurrency === undefined ? {} : { concurrency }),
                ...(rate === undefined ? {} : { rate }),
              }),
              String(running),
              String(waiting),
              changedAt === null ? 'not set' : times.both(changedAt),
              jobs.length === 0 ? '–' : jobs.map(plainText).join(', '),
            ]),
          )
        })
      }),
    )
  examples(list, [['limits list']])

  const set = group
    .command('set <name>')
    .description('Sets a limit, new or known. It holds from the next claim on, and stops nothing that runs.')
    .option('--concurrency <n>', 'how many may run at once')
    .option('--rate <count/duration>', 'how many may start within a span, such as 100/1m')
    .action((name: string, flags: { readonly concurrency?: string; readonly rate?: string }) =>
      withEvertick(cli, set, async ({ evertick, terminal, actor }) => {
        const limit = await evertick.limits.set(name, { ...limitOfFlags(flags), actor })
        terminal.report(limit, `Set the limit "${plainText(name)}".`)
      }),
    )
  examples(set, [
    ['limits set openai --concurrency 5'],
    ['limits set openai --concurrency 5 --rate 100/1m', 'and at most 100 starts in any minute'],
  ])

  const remove = group
    .command('delete <name>')
    .description('Deletes a limit: jobs that name it go on without a bound.')
    .action((name: string) =>
      withEvertick(cli, remove, async ({ evertick, terminal, actor }) => {
        await evertick.limits.delete(name, { actor })
        terminal.report({ deleted: name }, `Deleted the limit "${plainText(name)}".`)
      }),
    )
  examples(remove, [['limits delete openai']])
}

/** `:5@100/1m`, as a job would write it. */
function numbersText(numbers: Parameters<typeof limitForm.text>[0]): string {
  const text = limitForm.text(numbers)
  return text === '' ? '–' : text
}
