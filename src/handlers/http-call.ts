/** A call of a URL: the request is made of the job, the outcome of the answer. Through the guarded client only. */
import { backoffMs } from '../core/attempt/backoff.ts'
import type { HandlerOutcome } from '../core/attempt/outcome.ts'
import { EvertickError } from '../core/error.ts'
import { expectedStatus, expectedWords } from '../core/job/expected-status.ts'
import type { HttpHandler } from '../core/job/handler.ts'
import type { RetrySpec } from '../core/job/options.ts'
import type { Redact } from '../core/job/secret-values.ts'
import { callOutside, type OutboundAnswer } from '../outbound/outbound-call.ts'
import { retryAfterMs } from './retry-after.ts'

export interface HttpCall extends Omit<HttpHandler, 'type' | 'url' | 'headers'> {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly input: unknown
  /** The job's `timeout`; null: 30 s. */
  readonly timeoutMs: number | null
  readonly retry: RetrySpec
  readonly executionId: string
  readonly scheduledFor: Date
  readonly attempt: number
  readonly idempotencyKey: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  readonly allowPrivateHosts: readonly string[]
  readonly now: () => number
  /** Takes the job's secrets out of what is kept. */
  readonly redact: Redact
}

export interface HttpResult {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON where the answer is that, else text. */
  readonly body: unknown
  /** Whether the body was longer than what is kept. */
  readonly truncated: boolean
}

const defaultTimeoutMs = 30_000
const maxBytes = 1_048_576
const keptLength = 65_536
const shownLength = 500
const keptHeaders = ['content-type', 'content-length', 'location', 'retry-after', 'etag', 'x-request-id']
/** 4xx statuses that are worth another try. */
const passing = new Set([408, 425, 429])

export async function callHttp(call: HttpCall): Promise<HandlerOutcome> {
  const sent = bodyOf(call)
  const method = call.method ?? (sent === null ? 'GET' : 'POST')
  if (sent !== null && (method === 'GET' || method === 'HEAD')) {
    return failed('InvalidInput', `${method} takes no body, but this execution has an input.`)
  }
  let answer: OutboundAnswer
  try {
    answer = await callOutside({
      url: call.url,
      method,
      headers: { ...sent?.headers, ...call.headers, ...ownHeaders(call) },
      ...(sent === null ? {} : { body: sent.text }),
      allowPrivateHosts: call.allowPrivateHosts,
      timeoutMs: call.timeoutMs ?? defaultTimeoutMs,
      maxBytes,
      // The call has been made: a long answer must not repeat it.
      longAnswer: 'cut',
      signal: call.signal,
    })
  } catch (error) {
    // A refused address stays refused: another try cannot help.
    if (error instanceof EvertickError && error.code === 'outbound_refused') {
      return { kind: 'fail', error: { name: error.name, message: error.message, code: error.code } }
    }
    throw error
  }
  return outcomeOf(answer, call)
}

function bodyOf({ body, input }: HttpCall): { text: string; headers: Record<string, string> } | null {
  const value = body ?? input ?? null
  if (value === null) return null
  return typeof body === 'string'
    ? { text: body, headers: { 'content-type': 'text/plain; charset=utf-8' } }
    : { text: JSON.stringify(value), headers: { 'content-type': 'application/json' } }
}

function ownHeaders(call: HttpCall): Record<string, string> {
  const { traceparent } = call.metadata
  const traced =
    typeof traceparent === 'string' && /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(traceparent)
  return {
    'idempotency-key': call.idempotencyKey,
    'evertick-execution': call.executionId,
    'evertick-scheduled-for': call.scheduledFor.toISOString(),
    'evertick-attempt': String(call.attempt),
    ...(traced ? { traceparent } : {}),
  }
}

function outcomeOf(answer: OutboundAnswer, call: HttpCall): HandlerOutcome {
  const { status } = answer
  // A stream may end within a character, as what was cut does.
  const text = call.redact(new TextDecoder().decode(answer.body, { stream: answer.cut }), answer.cut)
  if (expectedStatus(call.expect)(status)) return { kind: 'done', result: resultOf(answer, text, call) }
  // Only the origin: a path may hold secrets.
  const said = text === '' ? '' : ` It said: ${text.slice(0, shownLength).toWellFormed()}`
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed.' : ''
  const why = `${new URL(call.url).origin} answered ${status}; expected: ${expectedWords(call.expect)}.${redirect}${said}`
  if (status >= 300 && status < 500 && !passing.has(status)) return failed('UnexpectedStatus', why)
  const error = { name: 'UnexpectedStatus', message: why, code: 'unexpected_status' }
  const asked = status === 429 || status === 503 ? retryAfterMs(answer, call.now()) : null
  if (asked === null) return { kind: 'error', error }
  const usual = backoffMs(call.retry, call.attempt, 0, call.now(), null)
  return { kind: 'retry', afterMs: Math.max(usual, asked), error }
}

function resultOf(answer: OutboundAnswer, text: string, call: HttpCall): HttpResult {
  const headers = keptHeaders.flatMap((name) => {
    const value = answer.headers[name]
    return typeof value === 'string' ? [[name, call.redact(value)] as const] : []
  })
  const truncated = answer.cut || text.length > keptLength
  const json =
    !truncated && /[/+]json\b/i.test(answer.headers['content-type'] ?? '') ? parsed(text) : undefined
  const body = json === undefined ? text.slice(0, keptLength).toWellFormed() : json
  return { status: answer.status, headers: Object.fromEntries(headers), body, truncated }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Announced as JSON, but it is not: it is kept as text.
    return undefined
  }
}

function failed(name: string, message: string): HandlerOutcome {
  return {
    kind: 'fail',
    error: { name, message, code: name === 'UnexpectedStatus' ? 'unexpected_status' : 'invalid_input' },
  }
}
