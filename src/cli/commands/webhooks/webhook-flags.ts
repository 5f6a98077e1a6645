/** The flags that make and change a webhook. */
import { type Command, Option } from 'commander'
import type { WebhookOptions } from '../../../app/webhook/webhook-options.ts'
import { EvertickError } from '../../../core/error.ts'
import {
  type WebhookExtra,
  type WebhookFormat,
  webhookExtras,
  webhookFormats,
} from '../../../core/job/handler.ts'
import type { Duration } from '../../../core/schedule/schedule.ts'
import { choice, collect, wholeNumber } from '../../help.ts'

export interface WebhookFlags {
  readonly to?: string
  readonly secretTo?: string
  readonly format?: WebhookFormat
  readonly body?: string
  readonly event?: string[]
  readonly job?: string[]
  readonly tag?: string[]
  readonly include?: WebhookExtra
  readonly header?: string[]
  readonly secretHeader?: string[]
  readonly link?: string
  readonly description?: string
  readonly attempts?: number
  readonly retryBase?: Duration
}

export function webhookFlags(command: Command): Command {
  const events = new Option('--event <pattern>', 'execution.failed, job.* or *; can be repeated')
  return command
    .option('--to <url>', 'where each message is sent; mailto:ann@example.com sends mails')
    .addOption(
      new Option('--secret-to <secret>', 'the same, where the URL is a secret of the vault').conflicts('to'),
    )
    .addOption(choice('--format <format>', 'how a message is written', webhookFormats))
    .addOption(events.argParser(collect))
    .option('--job <name>', 'only of these jobs; * stands for any text; can be repeated', collect)
    .option('--tag <tag>', 'only of jobs with one of these tags; can be repeated', collect)
    .addOption(choice('--include <what>', 'what else a message has', webhookExtras))
    .option('--header <header>', '"Name: value", sent along; can be repeated', collect)
    .option(
      '--secret-header <header>',
      '"Name: secret", whose value is a secret of the vault; can be repeated',
      collect,
    )
    .option('--body <template>', 'of a template: what is sent, with placeholders such as {{ sentence }}')
    .option('--link <url>', 'the address of the dashboard, for links in messages')
    .option('--attempts <n>', 'how often each delivery is tried', wholeNumber(1, 100))
    .option('--retry-base <duration>', 'the first back-off')
    .option('--description <text>', 'what it is for')
}

/** What is not given stays as it is, or has its default. */
export function givenOf(flags: WebhookFlags): Partial<WebhookOptions> {
  const { event, job, tag, include, header, secretHeader, attempts, retryBase, to, secretTo, ...same } = flags
  const retry = {
    ...(attempts === undefined ? {} : { attempts }),
    ...(retryBase === undefined ? {} : { base: retryBase }),
  }
  return {
    ...(to === undefined ? {} : { url: to }),
    ...(secretTo === undefined ? {} : { url: { secret: secretTo } }),
    ...(event === undefined ? {} : { events: event }),
    ...(job === undefined ? {} : { jobs: job }),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(include === undefined ? {} : { include: [include] }),
    ...(header === undefined && secretHeader === undefined
      ? {}
      : { headers: headersOf(header, secretHeader) }),
    ...same,
    ...(Object.keys(retry).length === 0 ? {} : { retry }),
  }
}

function headersOf(
  plain: readonly string[] = [],
  secret: readonly string[] = [],
): NonNullable<WebhookOptions['headers']> {
  const named = secret.map(headerOf).map(([name, given]) => [name, { secret: given.trim() }] as const)
  return { ...Object.fromEntries(plain.map(headerOf)), ...Object.fromEntries(named) }
}

function headerOf(written: string): [string, string] {
  const [, name, value] = /^([^:]+):\s*(.*)$/s.exec(written) ?? []
  if (name !== undefined && value !== undefined) return [name.trim(), value]
  throw new EvertickError('invalid_option', `"${written}" is not a header.`, {
    field: '--header',
    next: 'Write it as "Name: value".',
  })
}
