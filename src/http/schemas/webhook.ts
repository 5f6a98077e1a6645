/** Webhooks and their deliveries, as the API shows them; and what a caller may write. */
import { z } from 'zod'
import { address, headers } from '../../app/handler/handler-shape.ts'
import { shownShapes } from '../../app/job/option-shapes.ts'
import { webhookShape } from '../../app/webhook/webhook-options.ts'
import { executionStates } from '../../core/execution/execution-state.ts'
import { webhookExtras, webhookFormats } from '../../core/job/handler.ts'
import { duration, instant, name, nextCursor } from './named.ts'

const { retry, description } = shownShapes({ duration, instant })

export const delivery = name(
  'Delivery',
  z.object({
    id: z.string(),
    messageId: z.string().describe('The `webhook-id` of every attempt and every resend'),
    type: z.string(),
    state: z.enum(executionStates),
    attempt: z.int(),
    maxAttempts: z.int(),
    status: z.int().nullable().describe('What the receiver answered last'),
    error: z.string().nullable(),
    durationMs: z.number().nullable(),
    createdAt: instant,
    nextAttemptAt: instant.nullable(),
    finishedAt: instant.nullable(),
  }),
)

const shown = {
  name: z.string(),
  format: z.enum(webhookFormats),
  url: address.describe('Where the address is a secret, only its host, or the name of the secret'),
  events: z.array(z.string()),
  jobs: z.array(z.string()),
  tags: z.array(z.string()),
  include: z.array(z.enum(webhookExtras)),
  headers,
  body: z.string().nullable(),
  link: z.string().nullable(),
  retry,
  description,
  isPaused: z.boolean(),
  pausedReason: z.string().nullable(),
  pausedBy: z.string().nullable(),
  pausedAt: instant.nullable(),
  rotatingUntil: instant.nullable(),
  lastDelivery: delivery.nullable(),
  createdAt: instant,
  updatedAt: instant,
}

export const webhook = name('Webhook', z.object(shown))
export const webhooks = name('Webhooks', z.object({ webhooks: z.array(webhook) }))
const secret = z.string().describe('Shown once: `whsec_` and the key in base64')
export const createdWebhook = name('CreatedWebhook', z.object({ ...shown, secret: secret.nullable() }))
export const rotated = name('RotatedWebhook', z.object({ secret, rotatingUntil: instant }))
export const tested = name(
  'TestedWebhook',
  z.object({
    messageId: z.string(),
    ok: z.boolean(),
    status: z.int().nullable(),
    tookMs: z.number(),
    error: z.string().nullable(),
  }),
)
export const deliveries = name('Deliveries', z.object({ deliveries: z.array(delivery), nextCursor }))
export const resent = name('Resent', z.object({ resent: z.int() }))

const webhookName = z.string().min(1).max(100)
export const reference = z.strictObject({ name: webhookName })
export const newWebhook = name('NewWebhook', z.strictObject({ name: webhookName, ...webhookShape }))
export const changes = name('WebhookChanges', z.strictObject(webhookShape).partial())
