/** One delivery: the message, in its format, through the guarded client; and what the answer says about the receiver. */
import type { HandlerOutcome } from '../../core/attempt/outcome.ts'
import { EvertickError } from '../../core/error.ts'
import type { Redact } from '../../core/job/secret-values.ts'
import { callOutside, type OutboundAnswer } from '../../outbound/outbound-call.ts'
import { retryAfterMs } from '../retry-after.ts'
import { type FormatParts, messageCall } from './formats.ts'

export interface WebhookCall extends Omit<FormatParts, 'sentAt'> {
  readonly signal: AbortSignal
  readonly allowPrivateHosts: readonly string[]
  readonly now: () => number
  /** Takes the secrets of the webhook out of what is kept. */
  readonly redact: Redact
}

export interface WebhookAnswer {
  /** Null where there was none. */
  readonly status: number | null
  readonly tookMs: number
  readonly outcome: HandlerOutcome
  /** The receiver has said when to come again. */
  readonly askedMs: number
  /** It wants nothing any more. */
  readonly gone: boolean
}

/** Of the whole call: the standard's own recommendation is 15 to 30 s. */
export const webhookTimeoutMs = 15_000
/** The answer only says that the message has arrived. */
const maxBytes = 65_536
const shownLength = 200

export async function callWebhook(call: WebhookCall): Promise<WebhookAnswer> {
  const begun = call.now()
  const { url, headers, body } = messageCall({ ...call, sentAt: begun })
  try {
    const answer = await callOutside({
      url,
      method: 'POST',
      headers: { 'user-agent': 'evertick', ...headers },
      body,
      allowPrivateHosts: call.allowPrivateHosts,
      timeoutMs: webhookTimeoutMs,
      maxBytes,
      // It has arrived: whatever more the receiver says must not repeat it.
      longAnswer: 'cut',
      signal: call.signal,
    })
    return answered(answer, call, call.now() - begun)
  } catch (error) {
    const tookMs = call.now() - begun
    return { status: null, tookMs, outcome: unanswered(error), askedMs: 0, gone: false }
  }
}

function answered(answer: OutboundAnswer, call: WebhookCall, tookMs: number): WebhookAnswer {
  const { status } = answer
  if (status >= 200 && status < 300) {
    const outcome = { kind: 'done', result: { status } } as const
    return { status, tookMs, outcome, askedMs: 0, gone: false }
  }
  const text = call.redact(new TextDecoder().decode(answer.body, { stream: answer.cut }), answer.cut)
  const said = text === '' ? '' : ` It said: ${text.slice(0, shownLength).toWellFormed()}`
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed.' : ''
  // Only the origin: a path may hold secrets.
  const message = `${new URL(call.url).origin} answered ${status}.${redirect}${said}`
  const error = { name: 'UnexpectedStatus', message, code: statusCode(status) }
  if (status === 410) return { status, tookMs, outcome: { kind: 'fail', error }, askedMs: 0, gone: true }
  const asked = status === 429 || status === 503 ? retryAfterMs(answer, call.now()) : null
  return { status, tookMs, outcome: { kind: 'error', error }, askedMs: asked ?? 0, gone: false }
}

/** A refused address stays refused; anything else may be better at the next try. */
export function unanswered(thrown: unknown): HandlerOutcome {
  if (!(thrown instanceof EvertickError)) throw thrown
  const { name, message, code } = thrown
  return { kind: code === 'outbound_refused' ? 'fail' : 'error', error: { name, message, code } }
}

const statusMark = 'status_'

function statusCode(status: number): string {
  return `${statusMark}${status}`
}

/** What a receiver answered, as a delivery has kept it; null where it did not answer. */
export function answeredStatus(result: unknown, error: { readonly code?: string } | null): number | null {
  if (typeof result === 'object' && result !== null && 'status' in result) return Number(result.status)
  return error?.code?.startsWith(statusMark) === true ? Number(error.code.slice(statusMark.length)) : null
}
