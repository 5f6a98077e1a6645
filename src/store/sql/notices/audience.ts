/** Who wants to hear of what. Webhooks are jobs, few of them, and found by their names: the usual answer is nobody. */
import type { WebhookHandler } from '../../../core/job/handler.ts'
import type { Job } from '../../../core/job/job.ts'
import { hears, type Told } from '../../../core/notice/message.ts'
import { heardTypes, type NoticeType } from '../../../core/notice/notice.ts'
import { webhookNames } from '../../../core/notice/webhook.ts'
import { jobFrom, specFrom, text } from '../runtime/rows.ts'
import { type Row, rows, type Script } from '../runtime/script.ts'

/** One that is paused hears nothing. */
export const activeWebhooks = `name >= ? AND name < ? AND deleted_at IS NULL AND state = 'active'`
export const webhookRange = [webhookNames.from, webhookNames.before] as const

/** For lists and counts of users' own jobs; its parameters are the range. */
export const noWebhook = (name: string) => `NOT (${name} >= ? AND ${name} < ?)`

const specsText = `SELECT id, spec FROM @jobs WHERE ${activeWebhooks}`

export function* heardNow(): Script<NoticeType[]> {
  const webhooks = yield* rows(specsText, ...webhookRange)
  return heardTypes(webhooks.flatMap((webhook) => webhookFrom(webhook)?.events ?? []))
}

export interface ChoosyWebhook {
  readonly id: string
  /** Empty where its choice goes by names alone. */
  readonly tags: readonly string[]
  readonly hears: (told: Told) => boolean
}

/** Those that hear of this, but only of certain jobs. */
export function* choosyWebhooks(type: NoticeType): Script<ChoosyWebhook[]> {
  const webhooks = yield* rows(specsText, ...webhookRange)
  return webhooks.flatMap((webhook) => {
    const handler = webhookFrom(webhook)
    if (handler === null || !heardTypes(handler.events).includes(type)) return []
    const { jobs, tags } = handler
    return jobs.length + tags.length === 0 ? [] : [{ id: text(webhook.id), tags, hears: hears(handler) }]
  })
}

export function* listWebhooks(): Script<Job[]> {
  const all = 'SELECT * FROM @jobs WHERE name >= ? AND name < ? AND deleted_at IS NULL ORDER BY name'
  return (yield* rows(all, ...webhookRange)).map(jobFrom)
}

/** Null where a job has only the name of one. */
export function webhookFrom({ spec }: Row): WebhookHandler | null {
  const { handler } = specFrom(spec)
  return handler.type === 'webhook' ? handler : null
}
