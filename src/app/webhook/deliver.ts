/** What every worker does with a delivery: when it is its turn it is sent, and the answer decides what becomes of both. */
import { backoffMs } from '../../core/attempt/backoff.ts'
import type { HandlerOutcome } from '../../core/attempt/outcome.ts'
import { madeAt } from '../../core/id.ts'
import { addressText, type WebhookHandler, webhookKey } from '../../core/job/handler.ts'
import type { JobSpec } from '../../core/job/job.ts'
import { withoutSecrets } from '../../core/job/secret-values.ts'
import { type Message, messageFrom } from '../../core/notice/message.ts'
import type { Clock } from '../../engine/clock.ts'
import type { Handler, JobContext } from '../../engine/worker/handler.ts'
import { OutcomeSignal } from '../../engine/worker/outcome-signal.ts'
import { callMail } from '../../handlers/webhook/mail-call.ts'
import { Receivers, type Turn } from '../../handlers/webhook/receivers.ts'
import { callWebhook, type WebhookAnswer } from '../../handlers/webhook/webhook-call.ts'
import type { MailServer } from '../../outbound/mail.ts'
import type { Store } from '../../store/store.ts'
import { openedValues } from '../vault/opened-values.ts'
import type { Secrets } from '../vault/secrets.ts'
import { openedTarget } from './webhook-address.ts'
import { signingSecrets } from './webhook-options.ts'

interface SendingParts {
  readonly clock: Clock
  readonly secrets: Secrets
  readonly store: Store
  readonly allowPrivateHosts: readonly string[]
  readonly smtp: MailServer | null
}

export interface DeliveryParts extends SendingParts {
  readonly random: () => number
  /** A job was changed by this process. */
  readonly jobChanged: () => void
}

/** While a webhook is paused, its deliveries come back this seldom to see. */
const pausedMs = 5 * 60_000
/** A receiver that is away for longer is told by hand: `webhooks resend`. */
const longestMs = 3 * 86_400_000
/** Then it looks again, whoever has ended. */
const longestTurnMs = 250
export const goneReason = 'it answered 410 Gone'

export function deliveryHandler(parts: DeliveryParts): Handler {
  const receivers = new Receivers(parts.random)
  return {
    name: webhookKey,
    parse: (input) => input,
    run: async (context: JobContext, spec) => signalOf(await deliver(context, spec, parts, receivers)),
  }
}

function signalOf(outcome: HandlerOutcome): unknown {
  return outcome.kind === 'done' ? outcome.result : new OutcomeSignal(outcome.kind, outcome)
}

async function deliver(
  context: JobContext,
  spec: JobSpec,
  parts: DeliveryParts,
  receivers: Receivers,
): Promise<HandlerOutcome> {
  const { handler } = spec
  const { clock, random, store } = parts
  if (handler.type !== 'webhook')
    throw new Error(`A handler of type ${handler.type} was claimed by the key of another.`)
  const message = messageFrom(context.input)
  if (message === null) throw new Error('The input of this delivery is not a message of the teller.')
  const job = await store.jobs.findJob(context.job)
  if (job === null) return { kind: 'cancel', reason: 'job_cancelled', note: null }
  const now = clock.now()
  if (now - madeAt(context.executionId) > longestMs) return expired
  if (job.state !== 'active') return { kind: 'snooze', afterMs: Math.floor(pausedMs * (1 + random() / 4)) }
  const turn = await turnOf(context, receivers, clock)
  if (turn.kind === 'later') return { kind: 'snooze', afterMs: turn.afterMs }
  const begunAt = clock.now()
  let answer: WebhookAnswer | null = null
  try {
    answer = await send(message, context.job, handler, context.signal, parts)
  } finally {
    const ok = answer?.outcome.kind === 'done'
    const tookMs = clock.now() - begunAt
    receivers.end(context.job, { ok, tookMs, askedMs: answer?.askedMs ?? 0 }, clock.now())
  }
  if (answer.gone) await pauseGone(context.job, parts)
  return asAsked(answer, spec, context.attempt, now)
}

/** Now, or later: what would be its turn in a moment waits here. */
async function turnOf(
  { job, signal }: JobContext,
  receivers: Receivers,
  clock: Clock,
): Promise<Exclude<Turn, { kind: 'soon' }>> {
  for (;;) {
    const turn = receivers.begin(job, clock.now())
    if (turn.kind !== 'soon') return turn
    const moved = new AbortController()
    const cancel = receivers.whenFreed(job, () => moved.abort())
    await clock.sleep(longestTurnMs, AbortSignal.any([moved.signal, signal]))
    cancel()
    if (signal.aborted) return { kind: 'later', afterMs: longestTurnMs }
  }
}

const expired: HandlerOutcome = {
  kind: 'fail',
  error: {
    name: 'Expired',
    message: 'It could not be delivered within three days.',
    code: 'delivery_expired',
  },
}

/** Sent now, in its format; whoever asks for a test waits for the answer. */
export async function send(
  message: Message,
  job: string,
  handler: WebhookHandler,
  signal: AbortSignal,
  { clock, secrets, store, allowPrivateHosts, smtp }: SendingParts,
): Promise<WebhookAnswer> {
  const { format, body } = handler
  const now = () => clock.now()
  if (format === 'mail')
    return await callMail({ url: addressText(handler.url), message, server: smtp, signal, now })
  const signing = signingSecrets(handler, job, secrets, clock.now())
  const headers = await openedValues(handler.headers, job, 'headers', { store, secrets })
  const url = await openedTarget(handler, job, { store, secrets })
  return await callWebhook({
    format,
    url: url.value,
    headers: headers.value,
    body,
    secrets: signing,
    message,
    signal,
    allowPrivateHosts,
    now,
    redact: withoutSecrets([...headers.secrets, ...url.secrets, ...signing]),
  })
}

/** Its usual back-off, or longer if the receiver has said so. */
function asAsked(
  { outcome, askedMs }: WebhookAnswer,
  spec: JobSpec,
  attempt: number,
  now: number,
): HandlerOutcome {
  if (outcome.kind !== 'error' || askedMs === 0) return outcome
  const usual = backoffMs(spec.retry, attempt, 0, now, null)
  return { kind: 'retry', afterMs: Math.max(usual, askedMs), error: outcome.error }
}

/** The receiver wants nothing any more: a person decides whether to try again. Two who hear it at once pause it once. */
async function pauseGone(job: string, { store, clock, jobChanged }: DeliveryParts): Promise<void> {
  const current = await store.jobs.findJob(job)
  if (current?.state !== 'active') return
  const context = { now: clock.now(), actor: 'evertick' }
  await store.jobs.changeJob(job, { kind: 'pause', reason: goneReason }, context)
  jobChanged()
}
