/** `evertick webhooks deliveries|resend` */
import type { Command } from 'commander'
import { deliveryStates, type ListDeliveries } from '../../../app/webhook/webhooks.ts'
import { choice, examples, pageOptions, sayMore } from '../../help.ts'
import { instantArgument } from '../../instant-argument.ts'
import { counted } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, writeTable } from '../../output/table.ts'
import { durationWords } from '../../output/times.ts'
import { type Cli, withEvertick } from '../../session.ts'

const right = { align: 'right' } as const
const columns: readonly Column[] = [
  'WHEN',
  'EVENT',
  'STATE',
  { title: 'TRY', ...right },
  { title: 'STATUS', ...right },
  { title: 'TOOK', ...right },
  'NEXT TRY',
  'DELIVERY',
  { title: 'ERROR', shrinks: true },
]

export function addDeliveries(group: Command, cli: Cli): void {
  const list = pageOptions(group.command('deliveries <name>'), 50)
    .description('Lists the deliveries of a webhook, newest first.')
    .addOption(choice('--state <state>', 'only those in this state', deliveryStates))
    .action((name: string, query: ListDeliveries) =>
      withEvertick(cli, list, async ({ evertick, terminal, times }) => {
        const page = await evertick.webhooks.deliveries(name, query)
        terminal.answer(page, (out) => {
          if (page.deliveries.length === 0 && out.tty) return out.write('There are no deliveries yet.')
          const rows = page.deliveries.map((delivery) => {
            const { state, status, durationMs, nextAttemptAt, error } = delivery
            const style = state === 'completed' ? 'ran' : state === 'failed' ? 'failed' : 'late'
            return [
              times.both(delivery.createdAt),
              plainText(delivery.type),
              out.paint(style, state),
              `${delivery.attempt}/${delivery.maxAttempts}`,
              status === null ? '–' : String(status),
              durationMs === null ? '–' : durationWords(durationMs),
              times.both(nextAttemptAt),
              delivery.id,
              error === null ? '' : plainText(error),
            ]
          })
          writeTable(out, columns, rows)
        })
        sayMore(terminal, page.nextCursor)
      }),
    )
  examples(list, [['webhooks deliveries ops'], ['webhooks deliveries ops --state failed']])
}

export function addResend(group: Command, cli: Cli): void {
  const resend = group
    .command('resend <name> [delivery]')
    .description(
      'Delivers again, under the same webhook-id: one delivery, or all that have failed since an instant.',
    )
    .option('--since <when>', 'all that have failed since then: an instant, or a duration such as 2h')
    .action((name: string, delivery: string | undefined, { since }: { since?: string }) =>
      withEvertick(cli, resend, async ({ evertick, terminal, actor }) => {
        const which = {
          ...(delivery === undefined ? {} : { delivery }),
          ...(since === undefined ? {} : { since: instantArgument(since, 'since', Date.now()) }),
        }
        const { resent } = await evertick.webhooks.resend(name, { ...which, actor })
        terminal.report({ resent }, `Resent ${counted(resent, 'delivery', 'deliveries')}.`)
      }),
    )
  examples(resend, [['webhooks resend ops 019e2b…'], ['webhooks resend ops --since 6h']])
}
