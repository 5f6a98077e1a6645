/** Who wants to hear of what. Webhooks are jobs, few of them, and found by their names: the usual answer is nobody. */
import type { WebhookHandler } from '../../../core/job/handler.ts'
import type { Job } from '../../../core/job/job.ts'
import { heardTypes, type NoticeType } from '../../../core/notice/notice.ts'
import { webhookNames } from '../../../core/notice/webhook.ts'
import { jobFrom, specFrom } from '../runtime/rows.ts'
import { type Row, rows, type Script } from '../runtime/script.ts'

/** One that is paused hears nothing. */
export const activeWebhooks = `name >= ? AND name < ? AND deleted_at IS NULL AND state = 'active'`
export const webhookRange = [webhookNames.from, webhookNames.before] as const

/** For lists and counts of users' own jobs; its parameters are the range. */
export const noWebhook = (name: string) => `NOT (${name} >= ? AND ${name} < ?)`

const specsText = `SELECT spec FROM @jobs WHERE ${activeWebhooks}`

export function* heardNow(): Script<NoticeType[]> {
  const webhooks = yield* rows(specsText, ...webhookRange)
  return heardTypes(webhooks.flatMap((webhook) => webhookFrom(webhook)?.events ?? []))
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
