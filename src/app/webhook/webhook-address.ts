/**
 * Where a webhook sends. Of some formats the address is itself the secret: whoever knows it can write there. It is sealed
 * then, and of what is shown, kept in the audit log and exported only the host is left.
 */
import { EvertickError } from '../../core/error.ts'
import type { WebhookFormat, WebhookHandler } from '../../core/job/handler.ts'
import { mailAddresses } from '../../handlers/webhook/mail-call.ts'
import { parseTarget } from '../../outbound/outbound-target.ts'
import { secretSlot } from '../job/handler-options.ts'
import type { Secrets } from '../job/secrets.ts'
import type { WebhookContext } from './webhook-options.ts'

type Address = Pick<WebhookHandler, 'format' | 'url' | 'address'>

/** Stands for what is not shown. */
const hidden = '/…'
/** What the standard signs needs no secret in its address, and an address of a person is none. */
const shownFormats: readonly WebhookFormat[] = ['standard', 'mail']

/** `given`: undefined, or what is shown, for the one that is there. */
export function addressOf(
  given: string | undefined,
  format: WebhookFormat,
  before: Address | null,
  { app, job }: Pick<WebhookContext, 'app' | 'job'>,
): Address {
  if (before !== null && (given === undefined || given === before.url)) {
    return { format, url: before.url, address: before.address }
  }
  const url = given ?? ''
  if (url.endsWith(hidden)) {
    throw invalid('This is only the part of the address that is shown.', 'Give the whole address.')
  }
  if (format === 'mail') {
    if (mailAddresses(url) !== null) return { format, url, address: null }
    throw invalid(
      'This is not a list of mail addresses.',
      'Write mailto:ann@example.com,ben@example.com, at most 20.',
    )
  }
  const { origin } = parseTarget(url)
  if (shownFormats.includes(format)) return { format, url, address: null }
  return { format, url: origin + hidden, address: app.secrets.seal(url, slot(job)) }
}

export function originOf({ format, url }: Address): string {
  return format === 'mail' ? url : parseTarget(url).origin
}

/** The whole of it, for the one who sends. */
export function openAddress({ url, address }: Address, job: string, secrets: Secrets): string {
  return address === null ? url : secrets.open(address, slot(job))
}

function slot(job: string): string {
  return secretSlot(job, 'address', 'url')
}

function invalid(message: string, next: string): EvertickError {
  return new EvertickError('invalid_definition', message, { field: 'url', next })
}
