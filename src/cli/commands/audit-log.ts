/** `evertick audit-log`: who changed what. (`audit` is the proof of the ticks.) */
import type { Command } from 'commander'
import { examples, wholeNumber } from '../help.ts'
import { cut, plainText } from '../output/plain-text.ts'
import { writeTable } from '../output/table.ts'
import { type Cli, withEvertick } from '../session.ts'

interface AuditLogOptions {
  readonly subject?: string
  readonly limit: number
  readonly cursor?: number
}

const shownDetails = 120

export function addAuditLog(program: Command, cli: Cli): void {
  const command = program
    .command('audit-log')
    .summary('who changed what, and when')
    .description('Lists what people, tools and code have changed, newest first.')
    .option('--subject <name>', 'only what concerns this job, queue or execution')
    .option('--limit <n>', 'at most this many', wholeNumber(1, 1_000_000), 30)
    .option('--cursor <n>', 'go on where the page before ended', wholeNumber())
    .action((options: AuditLogOptions) =>
      withEvertick(cli, command, async ({ evertick, terminal, times }) => {
        const page = await evertick.auditLog.list(options)
        terminal.answer(page, (out) => {
          const columns = [
            { title: out.tty ? `WHEN (${times.timezone})` : 'WHEN' },
            { title: 'WHO' },
            { title: 'ACTION' },
            { title: 'SUBJECT', shrinks: true as const },
            { title: 'DETAILS', shrinks: true as const },
          ]
          const rows = page.entries.map(({ at, actor, action, subject, after }) => [
            times.at(at),
            plainText(actor),
            action,
            plainText(subject),
            details(after),
          ])
          writeTable(out, columns, rows)
          if (page.nextCursor !== null) terminal.say(`There are more: add --cursor ${page.nextCursor}.`)
        })
      }),
    )
  examples(command, [['audit-log'], ['audit-log --subject nightly-report --json']])
}

function details(after: unknown): string {
  return after === null || after === undefined ? '' : cut(plainText(JSON.stringify(after)), shownDetails)
}
