/** Asks a URL for schedules, through the guarded way out. */
import { EvertickError } from '../../core/error.ts'
import { callOutside, type OutboundCall } from '../../outbound/outbound-call.ts'
import { parseAnswer } from './schedule-answer.ts'

export interface FetchRequest
  extends Pick<OutboundCall, 'url' | 'headers' | 'allowPrivateHosts' | 'signal' | 'timeoutMs' | 'resolve'> {
  /** The mark of an answer that is known: the same one need not be sent again. */
  readonly etag?: string | null
}

export interface FetchedAnswer {
  /** Undefined where it is the one that is known. */
  readonly answer: unknown
  readonly etag: string | null
}

/** No mark of an answer is longer in earnest. */
const longestEtag = 500

export async function fetchSchedules({ etag = null, ...request }: FetchRequest): Promise<FetchedAnswer> {
  const { status, headers, body } = await callOutside({
    ...request,
    headers: {
      accept: 'application/json',
      ...request.headers,
      ...(etag === null ? {} : { 'if-none-match': etag }),
    },
  })
  if (status === 304 && etag !== null) return { answer: undefined, etag }
  if (status !== 200) {
    throw new EvertickError('outbound_failed', `${new URL(request.url).origin} answered with ${status}.`, {
      next:
        status >= 300 && status < 400
          ? 'Redirects are not followed: name the address that it leads to.'
          : 'Check the address and the token; nothing was changed.',
    })
  }
  const mark = headers.etag ?? ''
  return {
    answer: parseAnswer(new TextDecoder().decode(body)),
    etag: mark !== '' && mark.length <= longestEtag ? mark : null,
  }
}
