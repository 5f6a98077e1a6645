/** Asks a URL for schedules, through the guarded way out. */
import { EvertickError } from '../../core/error.ts'
import { callOutside, type OutboundCall } from '../../outbound/outbound-call.ts'
import { parseAnswer } from './schedule-answer.ts'

export type FetchRequest = Pick<OutboundCall, 'url' | 'headers' | 'allowPrivateHosts' | 'signal' | 'resolve'>

export async function fetchSchedules(request: FetchRequest): Promise<unknown> {
  const { status, body } = await callOutside({
    ...request,
    headers: { accept: 'application/json', ...request.headers },
  })
  if (status !== 200) {
    throw new EvertickError('outbound_failed', `${new URL(request.url).origin} answered with ${status}.`, {
      next:
        status >= 300 && status < 400
          ? 'Redirects are not followed: name the address that it leads to.'
          : 'Check the address and the token; nothing was changed.',
    })
  }
  return parseAnswer(new TextDecoder().decode(body))
}
