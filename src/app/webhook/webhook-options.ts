/** A webhook as its user writes it: checked once, its secrets sealed, into the spec of the job that it is. */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { EvertickError } from '../../core/error.ts'
import {
  type Sealed,
  type SecretReference,
  type WebhookExtra,
  type WebhookFormat,
  type WebhookHandler,
  type WebhookSecret,
  webhookExtras,
  webhookFormats,
} from '../../core/job/handler.ts'
import type { JobSpec } from '../../core/job/job.ts'
import type { RetryOptions } from '../../core/job/options.ts'
import { isEventPattern, noticeTypeNames } from '../../core/notice/notice.ts'
import { webhookQueue } from '../../core/notice/webhook.ts'
import { secretBytes, secretPrefix } from '../../handlers/webhook/signature.ts'
import { parseTarget } from '../../outbound/outbound-target.ts'
import type { AppContext } from '../app-context.ts'
import { checked } from '../config/checked.ts'
import { refuseHeader, sealedValues, sealingFor } from '../handler/handler-options.ts'
import { address, headers } from '../handler/handler-shape.ts'
import { jobSpec } from '../job/job-options.ts'
import { writtenShapes } from '../job/option-shapes.ts'
import { signingSlot } from '../vault/sealed-values.ts'
import { addressOf, isSameHost } from './webhook-address.ts'
import { formatOf, pingEvents, refuseUnfit } from './webhook-format.ts'

export interface WebhookOptions {
  /**
   * Where each message is sent, by POST; or `mailto:ann@example.com,ben@example.com`. `{ secret: name }` where the address
   * itself is a secret of the vault.
   */
  readonly url: string | SecretReference
  /** How a message is written; it stays as it was made. @default 'mail' for a mailto: address, else 'standard' */
  readonly format?: WebhookFormat
  /** `execution.failed`, `job.*` or `*`. @default none; of a ping always completed and failed executions */
  readonly events?: readonly string[]
  /** Only of these jobs; `*` in a name stands for any text. @default all */
  readonly jobs?: readonly string[]
  /** Only of jobs with one of these tags. @default all */
  readonly tags?: readonly string[]
  /** What else a message has: the `result` of what has completed, up to 16 KiB. @default nothing */
  readonly include?: readonly WebhookExtra[]
  /** Sent along. `{ secret: name }` reads the vault; other values of names such as Authorization are sealed. @default none */
  readonly headers?: Readonly<Record<string, string | SecretReference>>
  /** Of a template: what is sent, JSON unless the header Content-Type says otherwise, with placeholders such as `{{ data.job }}`. */
  readonly body?: string
  /** The address of the dashboard, for links in messages. @default none */
  readonly link?: string
  /** @default 8 attempts over about a day */
  readonly retry?: RetryOptions
  readonly description?: string
}

/** 15 s, 1 min, 4, 16, 64 min, 4 h, 17 h. */
const retry = { attempts: 8, base: '15s', factor: 4, max: '24h', jitter: 0.2 } as const
/** A little more than the call itself is given. */
const timeout = '20s'
const retention = { executions: 1_000, age: '7d', failed: '30d' } as const

const { retry: retryShape, description } = writtenShapes({
  duration: z.union([z.number(), z.string()]),
  instant: z.union([z.date(), z.string()]),
})
const longestBody = 16_384
const texts = (longest: number) => z.array(z.string().min(1).max(longest)).max(100)

/** The HTTP API takes the same. */
export const webhookShape = {
  url: address,
  format: z.enum(webhookFormats).optional(),
  events: texts(100).min(1).optional(),
  jobs: texts(200).optional(),
  tags: texts(100).optional(),
  include: z.array(z.enum(webhookExtras)).max(webhookExtras.length).optional(),
  headers: headers.optional(),
  body: z.string().min(1).max(longestBody).optional(),
  link: z.string().max(2_048).optional(),
  retry: retryShape,
  description,
}
const shape = z.strictObject(webhookShape)
const partialShape = shape.partial()

export interface WebhookContext {
  readonly app: Pick<AppContext, 'secrets' | 'maxPayloadBytes' | 'timezone'>
  /** The name of its job. */
  readonly job: string
  readonly createdAt: number
}

/** `before`: what an edit changes; what it does not name stays as it is. */
export function webhookSpec(
  written: Partial<WebhookOptions>,
  context: WebhookContext,
  before:
    | { readonly spec: JobSpec; readonly handler: WebhookHandler }
    | { readonly secrets: readonly WebhookSecret[] },
): JobSpec {
  const known = Object.keys(webhookShape)
  const what = 'The webhook'
  const partial = checked('spec' in before ? partialShape : shape, written, 'invalid_definition', what, known)
  const { retry: ownRetry, description: ownDescription, ...given } = partial
  const handler = handlerOf(given, context, 'spec' in before ? before.handler : before.secrets)
  const options = {
    ...(ownRetry === undefined ? {} : { retry: written.retry ?? {} }),
    ...(ownDescription === undefined ? {} : { description: ownDescription }),
  }
  const { app, job: name, createdAt } = context
  const around = { ...app, name, handler, createdAt }
  if ('spec' in before) return jobSpec(options, around, before.spec)
  const fixed = { overlap: 'allow', queue: webhookQueue, timeout, retention } as const
  return jobSpec({ ...fixed, ...options, retry: { ...retry, ...written.retry } }, around)
}

type Given = Omit<z.output<typeof partialShape>, 'retry' | 'description'>

function handlerOf(
  given: Given,
  context: WebhookContext,
  from: WebhookHandler | readonly WebhookSecret[],
): WebhookHandler {
  const { app, job } = context
  const [before, signing] = 'url' in from ? [from, from.secrets] : [null, from]
  const format = formatOf(given, before)
  const target = addressOf(given.url, format, before, context)
  if (given.link !== undefined) parseTarget(given.link)
  for (const event of given.events ?? []) refuseUnknownEvent(event)
  for (const name of Object.keys(given.headers ?? {})) refuseHeader(name, Object.keys(given.headers ?? {}))
  const staysThere = before !== null && isSameHost(before, target)
  // A secret is for the address that it was given for: a new one must be given it again.
  const kept = staysThere ? before.headers : null
  const shown = given.headers ?? (staysThere ? undefined : {})
  const headers =
    shown === undefined
      ? (before?.headers ?? {})
      : sealedValues(shown, {
          kind: 'headers',
          before: kept,
          context: sealingFor(target.url, { job, secrets: app.secrets }),
        })
  const handler: WebhookHandler = {
    type: 'webhook',
    ...target,
    events: format === 'ping' ? pingEvents : (given.events ?? before?.events ?? []),
    jobs: given.jobs ?? before?.jobs ?? [],
    tags: given.tags ?? before?.tags ?? [],
    include: given.include ?? before?.include ?? [],
    headers,
    body: given.body ?? before?.body ?? null,
    link: given.link ?? before?.link ?? null,
    secrets: format === 'standard' ? signing : [],
  }
  refuseUnfit(handler, given)
  return handler
}

function refuseUnknownEvent(event: string): void {
  if (isEventPattern(event)) return
  throw new EvertickError('invalid_definition', `There is no event "${event}".`, {
    field: 'events',
    next: `Use *, a group such as execution.*, or one of: ${noticeTypeNames.join(', ')}.`,
  })
}

/** Shown once to whoever makes it; in the database it is sealed. */
export function newSecret(job: string, secrets: AppContext['secrets']): { secret: string; key: Sealed } {
  const secret = secretPrefix + randomBytes(secretBytes).toString('base64')
  return { secret, key: secrets.seal(secret, signingSlot(job)) }
}

/** Those that sign now, the newest first. */
export function signingSecrets(
  { secrets }: Pick<WebhookHandler, 'secrets'>,
  job: string,
  sealed: AppContext['secrets'],
  now: number,
): string[] {
  return holding(secrets, now).map(({ key }) => sealed.open(key, signingSlot(job)))
}

export function holding(secrets: readonly WebhookSecret[], now: number): WebhookSecret[] {
  return secrets.filter(({ until }) => until === null || until > now)
}
