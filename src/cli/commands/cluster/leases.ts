/** `evertick leases`: which worker holds which execution. */
import type { Command } from 'commander'
import { examples } from '../../help.ts'
import { counted } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, writeTable } from '../../output/table.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'

export function addLeases(program: Command, cli: Cli): void {
  const leases = program
    .command('leases')
    .summary('which worker holds which execution')
    .description('Manages leases: a lease is a worker’s time-limited right to an execution.')

  const list = leases
    .command('list')
    .description('Lists the leases, expired ones first.')
    .option('--expired', 'only expired leases')
    .action((options: { expired?: true }) => withEvertick(cli, list, (session) => show(session, options)))
  examples(list, [['leases list'], ['leases list --expired']])

  const reset = leases
    .command('reset-expired')
    .description('Takes back expired leases now instead of waiting for the leader to do so.')
    .action(() =>
      withEvertick(cli, reset, async ({ evertick, terminal }) => {
        const count = await evertick.leases.resetExpired()
        terminal.report({ reset: count }, `Took back ${counted(count, 'lease')}.`)
      }),
    )
  examples(reset, [['leases reset-expired']])
}

async function show({ evertick, terminal, times }: Session, options: { expired?: true }): Promise<void> {
  const expired = (await evertick.leases.expired()).map((execution) => ({ ...execution, expired: true }))
  const active =
    options.expired === true
      ? []
      : (await evertick.leases.active()).map((execution) => ({ ...execution, expired: false }))
  const leases = [...expired, ...active]
  terminal.answer({ leases }, (out) => {
    if (leases.length === 0 && out.tty) return out.write('No leases: nothing is running.')
    const columns: readonly Column[] = [
      { title: 'JOB', shrinks: true },
      'EXECUTION',
      { title: 'HELD BY', shrinks: true },
      'UNTIL',
      { title: 'FENCE', align: 'right' },
    ]
    const rows = leases.map((lease) => [
      plainText(lease.job),
      lease.id,
      plainText(lease.leasedBy ?? '–'),
      out.paint(
        lease.expired ? 'late' : 'ran',
        `${times.both(lease.leasedUntil)}${lease.expired ? ', expired' : ''}`,
      ),
      String(lease.fence),
    ])
    writeTable(out, columns, rows)
  })
}
