/** `evertick batches`: executions that were enqueued together, and how far they are. */
import type { Command } from 'commander'
import { examples, pageOptions, sayMore } from '../../help.ts'
import { countsText } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, writeTable } from '../../output/table.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'

interface ListOptions {
  readonly limit?: number
  readonly cursor?: string
}

export function addBatches(program: Command, cli: Cli): void {
  const group = program
    .command('batches')
    .alias('batch')
    .summary('list batches, and show how far one is')
    .description('Shows batches: executions that were enqueued together.')

  const list = group.command('list').description('Lists batches, newest first.')
  pageOptions(list, 20).action((options: ListOptions) =>
    withEvertick(cli, list, (session) => showList(session, options)),
  )
  examples(list, [['batches list']])

  const show = group
    .command('show <id>')
    .description('Shows how far a batch is, and what follows it.')
    .action((id: string) =>
      withEvertick(cli, show, async ({ evertick, terminal, times }) => {
        const batch = await evertick.batches.get(id)
        terminal.answer(batch, (out) => {
          out.write(`${batch.name === null ? 'Batch' : plainText(batch.name)}  ${countsText(batch.counts)}`)
          out.write(`made     ${times.both(batch.createdAt)}`)
          out.write(`done     ${batch.doneAt === null ? 'not yet' : times.both(batch.doneAt)}`)
          if (batch.onDoneId !== null) out.write(`follows  ${batch.onDoneId}`)
        })
      }),
    )
  examples(show, [['batches show 019e2b…']])
}

async function showList({ evertick, terminal, times }: Session, options: ListOptions): Promise<void> {
  const page = await evertick.batches.list({ limit: 20, ...options })
  terminal.answer(page, (out) => {
    if (page.batches.length === 0 && out.tty) return out.write('There are no batches.')
    const columns: readonly Column[] = [
      'ID',
      { title: 'NAME', shrinks: true },
      { title: 'EXECUTIONS', shrinks: true },
      out.tty ? `MADE (${times.timezone})` : 'MADE',
      'DONE',
    ]
    const rows = page.batches.map((batch) => [
      batch.id,
      plainText(batch.name ?? ''),
      countsText(batch.counts),
      times.at(batch.createdAt),
      batch.doneAt === null ? 'not yet' : times.at(batch.doneAt),
    ])
    writeTable(out, columns, rows)
  })
  sayMore(terminal, page.nextCursor)
}
