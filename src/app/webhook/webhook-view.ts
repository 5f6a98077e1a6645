/** Webhooks and their deliveries, as they are shown: without what is sealed. */

import type { Execution } from '../../core/execution/execution.ts'
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import { isFinal } from '../../core/execution/execution-state.ts'
import type {
  Address,
  SecretReference,
  WebhookExtra,
  WebhookFormat,
  WebhookHandler,
} from '../../core/job/handler.ts'
import type { Job } from '../../core/job/job.ts'
import type { JobSettings } from '../../core/job/options.ts'
import { shownOptions } from '../../core/job/options-codec.ts'
import { messageFrom } from '../../core/notice/message.ts'
import { webhookOfJob } from '../../core/notice/webhook.ts'
import { answeredStatus } from '../../handlers/webhook/webhook-call.ts'
import { shownValues } from '../handler/handler-view.ts'

export interface WebhookView {
  readonly name: string
  readonly format: WebhookFormat
  /** Where the address is a secret, only its host, or its name in the vault. */
  readonly url: Address
  readonly events: readonly string[]
  readonly jobs: readonly string[]
  readonly tags: readonly string[]
  readonly include: readonly WebhookExtra[]
  readonly headers: Readonly<Record<string, string | SecretReference>>
  /** Of a template. */
  readonly body: string | null
  readonly link: string | null
  readonly retry: JobSettings['retry']
  readonly description: string | null
  readonly isPaused: boolean
  readonly pausedReason: string | null
  readonly pausedBy: string | null
  readonly pausedAt: Date | null
  /** Until when the secret before the present one signs, too; null: only one does. */
  readonly rotatingUntil: Date | null
  readonly lastDelivery: DeliveryView | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface DeliveryView {
  /** Of the execution that delivers it. */
  readonly id: string
  /** The `webhook-id`, the same for every attempt and every resend. */
  readonly messageId: string
  readonly type: string
  readonly state: ExecutionState
  readonly attempt: number
  readonly maxAttempts: number
  /** What the receiver answered last; null where it did not. */
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number | null
  readonly createdAt: Date
  /** Where another attempt follows. */
  readonly nextAttemptAt: Date | null
  readonly finishedAt: Date | null
}

export function webhookView(
  job: Job,
  handler: WebhookHandler,
  last: Execution | null,
  now: number,
): WebhookView {
  const { format, url, events, jobs, tags, include, headers, body, link, secrets } = handler
  const { retry, description } = shownOptions(job.spec)
  const rotating = secrets.flatMap(({ until }) => (until !== null && until > now ? [until] : []))
  const { pause } = job
  return {
    name: webhookOfJob(job.name) ?? job.name,
    format,
    url,
    events,
    jobs,
    tags,
    include,
    body,
    link,
    retry,
    description,
    headers: shownValues(headers),
    isPaused: job.state !== 'active',
    pausedReason: pause?.reason ?? null,
    pausedBy: pause?.by ?? null,
    pausedAt: date(pause?.at ?? null),
    rotatingUntil: date(rotating.length === 0 ? null : Math.max(...rotating)),
    lastDelivery: last === null ? null : deliveryView(last),
    createdAt: new Date(job.createdAt),
    updatedAt: new Date(job.updatedAt),
  }
}

export function deliveryView(execution: Execution): DeliveryView {
  const { id, state, attempt, maxAttempts, input, result, error, startedAt, finishedAt } = execution
  const message = messageFrom(input)
  const waits = !isFinal(state) && state !== 'running'
  return {
    id,
    messageId: message?.id ?? '',
    type: message?.type ?? '',
    state,
    attempt,
    maxAttempts,
    status: answeredStatus(result, error),
    error: error?.message ?? null,
    durationMs: startedAt === null || finishedAt === null ? null : finishedAt - startedAt,
    createdAt: new Date(execution.createdAt),
    nextAttemptAt: waits ? new Date(execution.readyAt) : null,
    finishedAt: date(finishedAt),
  }
}

function date(at: number | null): Date | null {
  return at === null ? null : new Date(at)
}
