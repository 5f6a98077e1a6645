/** `evertick audit-log`: who changed what, and whether the log itself was changed. (`audit` proves the ticks.) */
import type { Command } from 'commander'
import type { AuditLogProof } from '../../../app/log/audit-log.ts'
import { EvertickError } from '../../../core/error.ts'
import { exitCodes } from '../../exit-code.ts'
import { examples, sayMore, wholeNumber } from '../../help.ts'
import { instantArgument } from '../../instant-argument.ts'
import { counted } from '../../output/count-words.ts'
import { cut, plainText } from '../../output/plain-text.ts'
import { type Column, writeTable } from '../../output/table.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'

interface AuditLogOptions {
  readonly actor?: string
  readonly action?: string
  readonly subject?: string
  readonly from?: string
  readonly to?: string
  readonly limit: number
  readonly cursor?: number
  readonly verify?: true
  readonly head?: true
  readonly sinceHead?: string
}

const shownDetails = 120

export function addAuditLog(program: Command, cli: Cli): void {
  const command = program
    .command('audit-log')
    .summary('who changed what, when and from where')
    .description(
      'Lists what people, tools and code changed or were denied, newest first. --verify proves that no sealed entry was changed, and exits with code 7 if one was.',
    )
    .option('--actor <name>', 'only what this actor did')
    .option('--action <name>', 'only this action, such as job.pause')
    .option('--subject <name>', 'only changes to this job, queue or execution')
    .option('--from <instant>', 'only at or after this instant')
    .option('--to <instant>', 'only before this instant')
    .option('--limit <n>', 'list at most this many', wholeNumber(1, 1_000_000), 30)
    .option('--cursor <n>', 'continue where the previous page ended', wholeNumber())
    .option('--verify', 'prove that no sealed entry was changed')
    .option('--head', 'print the newest seal, to keep elsewhere')
    .option('--since-head <hash>', 'prove that the log still contains everything sealed up to this head')
    .action((options: AuditLogOptions) =>
      withEvertick(cli, command, async (session) => {
        if (options.verify === true || options.head === true || options.sinceHead !== undefined) {
          await verify(cli, session, options)
        } else {
          await list(session, options)
        }
      }),
    )
  examples(command, [
    ['audit-log'],
    ['audit-log --subject nightly-report --from 7d --json'],
    ['audit-log --verify --json', 'for monitoring: exits with code 7 if not ok'],
    ['audit-log --head', 'a hash to keep out of reach of anyone who can write to the database'],
  ])
}

async function list({ evertick, terminal, times }: Session, options: AuditLogOptions): Promise<void> {
  const { from, to, ...rest } = options
  const now = Date.now()
  const page = await evertick.auditLog.list({
    ...rest,
    ...(from === undefined ? {} : { from: instantArgument(from, 'from', now) }),
    ...(to === undefined ? {} : { to: instantArgument(to, 'to', now) }),
  })
  terminal.answer(page, (out) => {
    const columns: readonly Column[] = [
      out.tty ? `WHEN (${times.timezone})` : 'WHEN',
      'WHO',
      'FROM',
      'ACTION',
      { title: 'SUBJECT', shrinks: true },
      { title: 'DETAILS', shrinks: true },
    ]
    const rows = page.entries.map(({ at, actor, origin, action, subject, after }) => [
      times.at(at),
      plainText(actor),
      plainText(origin ?? ''),
      action,
      plainText(subject),
      details(after),
    ])
    writeTable(out, columns, rows)
    sayMore(terminal, page.nextCursor)
  })
}

function details(after: unknown): string {
  return after === null || after === undefined ? '' : cut(plainText(JSON.stringify(after)), shownDetails)
}

async function verify(cli: Cli, { evertick, terminal }: Session, options: AuditLogOptions): Promise<void> {
  const { sinceHead: head } = options
  if (head !== undefined && !/^[0-9a-f]{64}$/.test(head)) {
    throw new EvertickError('invalid_option', '--since-head must be a hash of 64 hexadecimal digits.', {
      field: '--since-head',
      next: 'Use a hash that `evertick audit-log --head` printed.',
    })
  }
  const proof = await evertick.auditLog.verify(head === undefined ? {} : { head })
  if (!proof.ok) cli.exitCode = exitCodes.problems
  const headOnly = options.head === true && options.verify !== true && head === undefined && proof.ok
  terminal.answer(proof, (out) => {
    if (headOnly) out.write(proof.head ?? '')
    else
      for (const line of sentences(proof))
        out.write(
          line.ok ? `${out.paint('ran', '✓')} ${line.text}` : `${out.paint('failed', '✗')} ${line.text}`,
        )
  })
}

function sentences(proof: AuditLogProof): { readonly ok: boolean; readonly text: string }[] {
  const { entries, sealed, unsealed, head, contains, broken } = proof
  const books = `${counted(entries, 'entry', 'entries')}: ${sealed.toLocaleString('en')} sealed, ${unsealed.toLocaleString('en')} not yet`
  return [
    broken.length === 0
      ? { ok: true, text: `No sealed entry was changed. ${books}.` }
      : { ok: false, text: `The audit log was changed after it was sealed. ${books}.` },
    ...broken.map(({ at, why }) => ({ ok: false, text: `entries ${at}: ${why}` })),
    ...(contains === null
      ? []
      : [
          contains
            ? { ok: true, text: 'The log still contains everything sealed up to that head.' }
            : {
                ok: false,
                text: 'The log has no seal with that head: entries up to it were changed, or removed by retention.',
              },
        ]),
    ...(head === null ? [] : [{ ok: true, text: `Head: ${head}` }]),
  ]
}
