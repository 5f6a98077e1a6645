/** `evertick webhooks`: who is told outside of what happens. */

import type { Command } from 'commander'
import type { WebhookView } from '../../../app/webhook/webhook-view.ts'
import { EvertickError } from '../../../core/error.ts'
import { addressText } from '../../../core/job/handler.ts'
import type { Duration } from '../../../core/schedule/schedule.ts'
import { examples } from '../../help.ts'
import { actorText } from '../../output/actor-text.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, writeTable } from '../../output/table.ts'
import type { Stream } from '../../output/terminal.ts'
import type { Times } from '../../output/times.ts'
import { type Cli, withEvertick } from '../../session.ts'
import { addDeliveries, addResend } from './deliveries.ts'
import { givenOf, type WebhookFlags, webhookFlags } from './webhook-flags.ts'

export function addWebhooks(program: Command, cli: Cli): void {
  const group = program
    .command('webhooks')
    .alias('webhook')
    .summary('tell others what happens, by signed HTTP calls')
    .description('Manages webhooks: addresses that are told of executions, jobs and leaders as they change.')
  addList(group, cli)
  addShow(group, cli)
  addCreate(group, cli)
  addUpdate(group, cli)
  addDelete(group, cli)
  addPauseAndResume(group, cli)
  addTest(group, cli)
  addRotate(group, cli)
  addDeliveries(group, cli)
  addResend(group, cli)
}

function addList(group: Command, cli: Cli): void {
  const list = group
    .command('list')
    .description('Lists the webhooks, and how their last delivery went.')
    .action(() =>
      withEvertick(cli, list, async ({ evertick, terminal, times }) => {
        const webhooks = await evertick.webhooks.list()
        terminal.answer({ webhooks }, (out) => {
          if (webhooks.length === 0 && out.tty) {
            return out.write('There are no webhooks. Create one with `evertick webhooks create`.')
          }
          const shrinks = { shrinks: true } as const
          const columns: readonly Column[] = [
            'WEBHOOK',
            { title: 'URL', ...shrinks },
            { title: 'EVENTS', ...shrinks },
            'LAST',
            { title: 'STATE', ...shrinks },
          ]
          const rows = webhooks.map((webhook) => [
            plainText(webhook.name),
            plainText(addressText(webhook.url)),
            webhook.events.map(plainText).join(', '),
            lastWords(out, webhook),
            stateWords(out, times, webhook),
          ])
          writeTable(out, columns, rows)
        })
      }),
    )
  examples(list, [['webhooks list']])
}

function lastWords(out: Stream, { lastDelivery }: WebhookView): string {
  if (lastDelivery === null) return '–'
  const { state, status } = lastDelivery
  const words = status === null ? state : `${status} ${state}`
  return out.paint(state === 'completed' ? 'ran' : state === 'failed' ? 'failed' : 'late', words)
}

function stateWords(out: Stream, times: Times, webhook: WebhookView): string {
  const { isPaused, pausedAt, pausedBy, pausedReason } = webhook
  if (!isPaused) return out.paint('ran', 'on')
  const reason = pausedReason === null ? '' : `: ${plainText(pausedReason)}`
  return out.paint('paused', `‖ paused ${times.both(pausedAt)} by ${actorText(pausedBy)}${reason}`)
}

function addShow(group: Command, cli: Cli): void {
  const show = group
    .command('show <name>')
    .description('Shows a webhook: where it sends what, and how it is doing.')
    .action((name: string) =>
      withEvertick(cli, show, async ({ evertick, terminal, times }) => {
        const webhook = await evertick.webhooks.get(name)
        terminal.answer(webhook, (out) => {
          const all = (values: readonly string[]) =>
            values.length === 0 ? 'all' : values.map(plainText).join(', ')
          const headers = Object.entries(webhook.headers).map(
            ([key, value]) => `${key}: ${typeof value === 'string' ? value : `the secret ${value.secret}`}`,
          )
          const lines: (readonly [string, string])[] = [
            ['url', plainText(addressText(webhook.url))],
            ['format', webhook.format],
            ['state', stateWords(out, times, webhook)],
            ['events', all(webhook.events)],
            ['jobs', all(webhook.jobs)],
            ['tags', all(webhook.tags)],
            ['headers', headers.length === 0 ? '–' : headers.map(plainText).join('; ')],
            ['last', lastWords(out, webhook)],
            [
              'secrets',
              webhook.format !== 'standard'
                ? 'none: only the standard format is signed'
                : webhook.rotatingUntil === null
                  ? 'one'
                  : `two until ${times.both(webhook.rotatingUntil)}`,
            ],
            ['changed', times.both(webhook.updatedAt)],
          ]
          out.write(out.paint('strong', plainText(webhook.name)))
          for (const [key, value] of lines) out.write(`  ${key.padEnd(8)} ${value}`)
        })
      }),
    )
  examples(show, [['webhooks show ops']])
}

function addCreate(group: Command, cli: Cli): void {
  const create = webhookFlags(group.command('create <name>'))
    .description(
      'Creates a webhook. The secret by which receivers verify messages in the standard format is printed once.',
    )
    .action((name: string, flags: WebhookFlags) =>
      withEvertick(cli, create, async ({ evertick, terminal, actor }) => {
        const { url, ...given } = givenOf(flags)
        if (url === undefined) throw noAddress()
        const created = await evertick.webhooks.create({ name, url, ...given }, { actor })
        const words = `Created the webhook "${plainText(name)}".`
        if (created.secret === null) terminal.report(created, words)
        else terminal.report(created, `${words} Its secret is shown once:`, created.secret)
      }),
    )
  examples(create, [
    ['webhooks create ops --to https://example.com/hook --event execution.failed'],
    ['webhooks create team --to https://hooks.slack.com/services/… --format slack --event "alert.*"'],
    ['webhooks create oncall --to mailto:ann@example.com --event "alert.*"'],
    ['webhooks create hc --to https://hc-ping.com/… --format ping --job backup'],
    ['webhooks create etl --to https://example.com/etl --event "execution.*" --job "etl-*" --include result'],
  ])
}

function noAddress(): EvertickError {
  return new EvertickError('invalid_option', 'The webhook has no address.', {
    field: '--to',
    next: 'Add --to with its URL, or --secret-to with the secret that is one.',
  })
}

function addUpdate(group: Command, cli: Cli): void {
  const update = webhookFlags(group.command('update <name>'))
    .description('Changes what is given and keeps the rest.')
    .action((name: string, flags: WebhookFlags) =>
      withEvertick(cli, update, async ({ evertick, terminal, actor }) => {
        const changed = await evertick.webhooks.update(name, givenOf(flags), { actor })
        terminal.report(changed, `Changed the webhook "${plainText(name)}".`)
      }),
    )
  examples(update, [['webhooks update ops --event "execution.*" --event leader.elected']])
}

function addDelete(group: Command, cli: Cli): void {
  const remove = group
    .command('delete <name>')
    .description('Deletes a webhook; what waits to be delivered is cancelled.')
    .action((name: string) =>
      withEvertick(cli, remove, async ({ evertick, terminal, actor }) => {
        await evertick.webhooks.delete(name, { actor })
        terminal.report({ deleted: name }, `Deleted the webhook "${plainText(name)}".`)
      }),
    )
  examples(remove, [['webhooks delete ops']])
}

function addPauseAndResume(group: Command, cli: Cli): void {
  const pause = group
    .command('pause <name>')
    .description('Pauses a webhook: it is told of nothing, and what waits to be delivered waits on.')
    .option('--reason <text>', 'why; shown with the webhook')
    .action((name: string, options: { reason?: string }) =>
      withEvertick(cli, pause, async ({ evertick, terminal, actor }) => {
        const paused = await evertick.webhooks.pause(name, { ...options, actor })
        terminal.report(paused, `Paused the webhook "${plainText(name)}".`)
      }),
    )
  examples(pause, [['webhooks pause ops --reason "moving the receiver"']])

  const resume = group
    .command('resume <name>')
    .description('Resumes a webhook, also one that was paused because its receiver answered 410.')
    .action((name: string) =>
      withEvertick(cli, resume, async ({ evertick, terminal, actor }) => {
        const resumed = await evertick.webhooks.resume(name, { actor })
        terminal.report(resumed, `Resumed the webhook "${plainText(name)}".`)
      }),
    )
  examples(resume, [['webhooks resume ops']])
}

function addTest(group: Command, cli: Cli): void {
  const test = group
    .command('test <name>')
    .description('Sends a `ping` now, and prints what came back.')
    .action((name: string) =>
      withEvertick(cli, test, async ({ evertick, terminal }) => {
        const tested = await evertick.webhooks.test(name)
        const took = `after ${Math.round(tested.tookMs)} ms`
        const words = tested.ok
          ? `It answered ${tested.status} ${took}.`
          : `${tested.error ?? 'It failed.'} (${took})`
        terminal.report(tested, plainText(words))
        if (!tested.ok) cli.exitCode = 1
      }),
    )
  examples(test, [['webhooks test ops']])
}

function addRotate(group: Command, cli: Cli): void {
  const rotate = group
    .command('rotate <name>')
    .description(
      'Makes a new secret. The one before signs beside it for a while, so that a receiver may change over.',
    )
    .option('--keep <duration>', 'how long the secret before signs, too', '24h')
    .action((name: string, { keep }: { keep: Duration }) =>
      withEvertick(cli, rotate, async ({ evertick, terminal, times, actor }) => {
        const rotated = await evertick.webhooks.rotate(name, { keep, actor })
        const words = `Both secrets sign until ${times.both(rotated.rotatingUntil)}. The new one is shown once:`
        terminal.report(rotated, words, rotated.secret)
      }),
    )
  examples(rotate, [['webhooks rotate ops --keep 7d']])
}
