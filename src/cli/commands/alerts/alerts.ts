/** `evertick alerts`: what is wrong, and who has taken it on. */

import type { Command } from 'commander'
import type { AlertView } from '../../../app/alerts/alerts.ts'
import { alertStates } from '../../../core/alert/alert.ts'
import type { Duration } from '../../../core/schedule/schedule.ts'
import { choice, examples, pageOptions, sayMore } from '../../help.ts'
import { actorText } from '../../output/actor-text.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, writeTable } from '../../output/table.ts'
import type { Stream, Style } from '../../output/terminal.ts'
import type { Times } from '../../output/times.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'
import { addRules } from './rules.ts'

interface ListOptions {
  readonly state?: (typeof alertStates)[number]
  readonly all?: true
  readonly job?: string
  readonly rule?: string
  readonly limit?: number
  readonly cursor?: string
}

export function addAlerts(program: Command, cli: Cli): void {
  const group = program
    .command('alerts')
    .alias('alert')
    .summary('what is wrong, who has taken it on, and the rules that say so')
    .description('Shows and answers alerts, and manages their rules.')
  addList(group, cli)
  addShow(group, cli)
  addAck(group, cli)
  addSnooze(group, cli)
  addRules(group, cli)
}

const unresolved = ['open', 'acknowledged', 'snoozed'] as const

function addList(group: Command, cli: Cli): void {
  const list = pageOptions(group.command('list'))
    .description('Lists what is not resolved, newest first.')
    .addOption(choice('--state <state>', 'only alerts in this state', alertStates))
    .option('--all', 'those that are over, too')
    .option('--job <job>', 'only alerts of this job')
    .option('--rule <name>', 'only alerts of this rule')
    .action((options: ListOptions) => withEvertick(cli, list, (session) => show(session, options)))
  examples(list, [['alerts list'], ['alerts list --all --job nightly-report']])
}

async function show({ evertick, terminal, times }: Session, options: ListOptions): Promise<void> {
  const { state, all, ...rest } = options
  const states = state ?? (all === true ? undefined : unresolved)
  const page = await evertick.alerts.list({ ...rest, ...(states === undefined ? {} : { state: states }) })
  terminal.answer(page, (out) => {
    if (page.alerts.length === 0 && out.tty)
      return out.write(out.paint('ran', 'Nothing is wrong that a rule knows of.'))
    const columns: readonly Column[] = [
      'STATE',
      'SINCE',
      { title: 'ALERT', shrinks: true },
      'RULE',
      { title: 'WHO', optional: true },
      { title: 'ID', optional: true },
    ]
    writeTable(
      out,
      columns,
      page.alerts.map((alert) => [
        stateText(out, alert),
        times.both(alert.openedAt),
        plainText(alert.sentence),
        plainText(alert.rule),
        actorText(alert.acknowledgedBy ?? alert.snoozedBy, ''),
        alert.id,
      ]),
    )
  })
  sayMore(terminal, page.nextCursor)
}

const styles: Readonly<Record<AlertView['state'], Style>> = {
  open: 'failed',
  acknowledged: 'running',
  snoozed: 'paused',
  resolved: 'ran',
}

function stateText(out: Stream, { state }: AlertView): string {
  return out.paint(styles[state], state)
}

function addShow(group: Command, cli: Cli): void {
  const command = group
    .command('show <id>')
    .description('Shows an alert: since when, who has taken it on, and what to do.')
    .action((id: string) =>
      withEvertick(cli, command, async ({ evertick, terminal, times }) => {
        const alert = await evertick.alerts.get(id)
        terminal.answer(alert, (out) => {
          for (const line of linesOf(out, alert, times)) out.write(line)
        })
      }),
    )
  examples(command, [['alerts show 019e2b…']])
}

function linesOf(out: Stream, alert: AlertView, times: Times): string[] {
  const { rule, severity, acknowledgedAt, acknowledgedBy, snoozedUntil, snoozedBy, resolvedAt, note } = alert
  const by = (who: string | null) => (who === null ? '' : ` by ${actorText(who)}`)
  return [
    `${stateText(out, alert)}  ${plainText(alert.sentence)}`,
    `rule          ${plainText(rule)} (${severity})`,
    `opened        ${times.both(alert.openedAt)}`,
    ...(acknowledgedAt === null ? [] : [`acknowledged  ${times.both(acknowledgedAt)}${by(acknowledgedBy)}`]),
    ...(snoozedUntil === null ? [] : [`snoozed       until ${times.both(snoozedUntil)}${by(snoozedBy)}`]),
    ...(note === null ? [] : [`note          ${plainText(note)}`]),
    ...(resolvedAt === null ? [] : [`over          ${times.both(resolvedAt)}`]),
    `next          ${plainText(alert.next)}`,
  ]
}

function addAck(group: Command, cli: Cli): void {
  const command = group
    .command('ack <id>')
    .description('Takes an alert on: nobody is told of it again until it ends.')
    .option('--note <text>', 'for those who look at it later')
    .action((id: string, options: { note?: string }) =>
      withEvertick(cli, command, async ({ evertick, terminal, actor }) => {
        const alert = await evertick.alerts.ack(id, { ...options, actor })
        terminal.report(alert, `Acknowledged: ${plainText(alert.sentence)}`)
      }),
    )
  examples(command, [['alerts ack 019e2b… --note "the vendor is down"']])
}

function addSnooze(group: Command, cli: Cli): void {
  const command = group
    .command('snooze <id>')
    .description(
      'Does not tell of an alert again for a while; if it is still open then, it does so once more.',
    )
    .requiredOption('--until <when>', 'an instant, or a duration such as 2h')
    .option('--note <text>', 'for those who look at it later')
    .action((id: string, options: { until: Duration; note?: string }) =>
      withEvertick(cli, command, async ({ evertick, terminal, times, actor }) => {
        const alert = await evertick.alerts.snooze(id, { ...options, actor })
        terminal.report(
          alert,
          `Snoozed until ${times.both(alert.snoozedUntil)}: ${plainText(alert.sentence)}`,
        )
      }),
    )
  examples(command, [['alerts snooze 019e2b… --until 2h']])
}
