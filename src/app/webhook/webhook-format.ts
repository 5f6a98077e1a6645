/** Which format a webhook has, and which of its options go with it: what would be ignored is refused. */
import { EvertickError } from '../../core/error.ts'
import type { WebhookFormat, WebhookHandler } from '../../core/job/handler.ts'
import type { NoticeType } from '../../core/notice/notice.ts'
import { refuseTemplate } from '../../core/notice/template.ts'
import { contentType } from '../../handlers/webhook/formats.ts'
import { mailScheme } from '../../handlers/webhook/mail-call.ts'
import type { WebhookOptions } from './webhook-options.ts'

/** The ends of a run. Its start is no fact of its own: where a run begins, nothing is written that could be told. */
export const pingEvents: readonly NoticeType[] = ['execution.completed', 'execution.failed']

type Given = { readonly [Name in 'url' | 'format' | 'events' | 'body']?: WebhookOptions[Name] | undefined }

/** Another one has other secrets, in other places: it is another webhook. */
export function formatOf({ format, url }: Given, before: WebhookHandler | null): WebhookFormat {
  if (before === null) return format ?? (isMail(url) ? 'mail' : 'standard')
  if (format === undefined || format === before.format) return before.format
  throw invalid(
    'format',
    `A webhook keeps its format, which is ${before.format}.`,
    `Create another one with the format ${format}, and delete this one.`,
  )
}

function isMail(url: Given['url']): boolean {
  return typeof url === 'string' && url.startsWith(mailScheme)
}

/** `given`: what was written now. */
export function refuseUnfit(handler: WebhookHandler, given: Given): void {
  const { format, include, headers, body, link, events } = handler
  const sendsData = format === 'standard' || format === 'template'
  if (include.length > 0 && !sendsData) {
    throw invalid(
      'include',
      `A ${format} webhook sends no result.`,
      'Use the format standard or template for it.',
    )
  }
  if (format === 'mail' && Object.keys(headers).length > 0) {
    throw invalid('headers', 'A mail has no headers of yours.', 'Leave them out.')
  }
  if (format === 'ping') {
    if (given.events !== undefined && String(given.events) !== String(pingEvents)) {
      throw invalid('events', `A ping tells of ${pingEvents.join(' and ')}.`, 'Leave the events out.')
    }
    if (link !== null) throw invalid('link', 'A ping has no link.', 'Leave it out.')
  }
  if (events.length === 0) {
    throw invalid(
      'events',
      'The webhook is told of no events.',
      "Name some: ['execution.failed', 'alert.*'].",
    )
  }
  if ((format === 'template') !== (body !== null)) {
    throw format === 'template'
      ? invalid(
          'body',
          'A template needs a body.',
          'Write it, with placeholders: {"text": "{{ sentence }}"}.',
        )
      : invalid(
          'body',
          `A ${format} webhook has a body of its own.`,
          'Leave it out, or use the format template.',
        )
  }
  if (body !== null) refuseTemplate(body, contentType(headers))
}

function invalid(field: string, message: string, next: string): EvertickError {
  return new EvertickError('invalid_definition', message, { field, next })
}
