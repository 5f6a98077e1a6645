/** Errors as RFC 9457 problems, with the code, the field and the next step that every error of ours has. */
import type { ErrorCode, ErrorKind, EvertickError } from '../core/error.ts'
import { TextResponse } from './text-response.ts'

export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly field?: string
  readonly next?: string
  /** Of a refused action: the state now, the state that was asked for, and what is legal. */
  readonly state?: string
  readonly asked?: string
  readonly actions?: readonly string[]
}

const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  usage: 400,
  not_found: 404,
  conflict: 409,
  auth: 403,
  unavailable: 503,
  failed: 500,
}

/** Codes with a status of their own. */
const statusOfCode: Partial<Record<ErrorCode, number>> = {
  unauthenticated: 401,
  method_not_allowed: 405,
  unsupported_media_type: 415,
  payload_too_large: 413,
  invalid_payload: 413,
  changed_meanwhile: 412,
  key_reused: 422,
  rate_limited: 429,
  not_running: 503,
  timeout: 504,
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  412: 'Changed meanwhile',
  413: 'Too large',
  415: 'Unsupported media type',
  422: 'Key used for another request',
  429: 'Too many requests',
  500: 'Failed',
  503: 'Unavailable',
  504: 'Timed out',
}

/** Limits how much of a caller's text an answer repeats. */
const longestText = 1_000

function short(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}…`
}

export function problemOf(error: EvertickError): Problem {
  const status = statusOfCode[error.code] ?? statusOfKind[error.kind]
  return {
    type: `urn:evertick:error:${error.code}`,
    title: titles[status] ?? 'Error',
    status,
    detail: short(error.message),
    code: error.code,
    ...(error.field === undefined ? {} : { field: short(error.field) }),
    ...(error.next === undefined ? {} : { next: short(error.next) }),
    ...error.transition,
  }
}

/** An unexpected error: its details go to the log, not to the caller. */
export const unforeseen: Problem = {
  type: 'urn:evertick:error:internal',
  title: 'Failed',
  status: 500,
  detail: 'Something went wrong on the server.',
  code: 'internal',
  next: 'Check the log of the node at this time.',
}

export function problemResponse(problem: Problem, headers: Record<string, string> = {}): Response {
  return new TextResponse(JSON.stringify(problem), {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  })
}

export function errorResponse(error: EvertickError, headers: Record<string, string> = {}): Response {
  return problemResponse(problemOf(error), headers)
}
