/** What can go wrong with a call, as errors with a code and a next step. */
import {
  type ErrorCode,
  type ErrorDetails,
  EvertickError,
  errorKinds,
  type RefusedTransition,
} from '../core/error.ts'
import { formatDuration } from '../core/schedule/duration.ts'
import { codeOf } from '../core/unknown-value.ts'

/** A refusal of the server, with its code. */
export class ProblemError extends EvertickError {
  readonly status: number
  /** How long to wait before asking again; null where the server did not say. */
  readonly retryAfterMs: number | null

  constructor(code: ErrorCode, message: string, details: ErrorDetails, response: Response) {
    super(code, message, details)
    this.status = response.status
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    this.retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : null
  }
}

/** The connection is lost: the server may or may not have received the request. */
export class LostConnection extends EvertickError {
  constructor(base: string, cause: unknown) {
    super('server_unavailable', `${base || 'The server'} cannot be reached${reasonOf(cause)}.`, {
      next: 'Check the URL, and that a node with the role api runs there.',
      cause,
    })
  }
}

/** Node keeps the reason in the cause of a cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : null
  if (!(cause instanceof Error)) return ''
  const text = codeOf(cause) ?? cause.message
  return text === '' ? '' : ` (${text})`
}

export function lateAnswer(base: string, timeoutMs: number, cause: unknown): EvertickError {
  const waited = formatDuration(timeoutMs)
  return new EvertickError('server_unavailable', `${base || 'The server'} did not answer within ${waited}.`, {
    next: 'Check whether it is overloaded, or set a longer timeout.',
    cause,
  })
}

export function problemOf(response: Response, text: string): EvertickError {
  const { status } = response
  const { code, detail, field, next, transition } = problemIn(text)
  if (code === undefined) return status >= 502 ? passedOn(response) : invalidAnswer(response)
  return new ProblemError(
    isKnown(code) ? code : codeOfStatus(status),
    detail ?? `The server answered with ${status}.`,
    {
      ...(field === undefined ? {} : { field }),
      ...(next === undefined ? {} : { next }),
      ...(transition === undefined ? {} : { transition }),
    },
    response,
  )
}

/** The answer is not from Evertick: the page of a proxy, for example. */
export function invalidAnswer(response: Response): EvertickError {
  return new ProblemError(
    'invalid_answer',
    `The server answered with ${response.status}, which is not an answer of Evertick.`,
    { next: 'Check that the URL is that of a node, with any path that a proxy adds.' },
    response,
  )
}

/** A proxy without a node behind it. */
function passedOn(response: Response): EvertickError {
  return new ProblemError(
    'server_unavailable',
    `A proxy in front of the server answered with ${response.status}.`,
    { next: 'Check that a node with the role api runs behind it.' },
    response,
  )
}

type Problem = { readonly [Key in 'code' | 'detail' | 'field' | 'next']?: string } & {
  readonly transition?: RefusedTransition
}

function problemIn(text: string): Problem {
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read !== 'object' || read === null) return {}
    const texts: Partial<Record<string, string>> = Object.fromEntries(
      Object.entries(read).filter(([, value]) => typeof value === 'string'),
    )
    const { state, asked } = texts
    const actions = 'actions' in read && Array.isArray(read.actions) ? read.actions.map(String) : null
    if (state === undefined || asked === undefined || actions === null) return texts
    return { ...texts, transition: { state, asked, actions } }
  } catch {
    return {}
  }
}

function isKnown(code: string): code is ErrorCode {
  return Object.hasOwn(errorKinds, code)
}

/** For a code that only a newer server knows. */
function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return 'unauthenticated'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'route_not_found'
  if (status === 429) return 'rate_limited'
  if (status >= 502) return 'server_unavailable'
  return status >= 500 ? 'internal' : 'invalid_input'
}
