/**
 * Where a webhook sends. Of some formats the address is itself the secret: whoever knows it can write there. It is sealed
 * then, and of what is shown, kept in the audit log and exported only the host is left.
 */
import { EvertickError } from '../../core/error.ts'
import type { Address, WebhookFormat, WebhookHandler } from '../../core/job/handler.ts'
import { mailAddresses } from '../../handlers/webhook/mail-call.ts'
import { parseTarget } from '../../outbound/outbound-target.ts'
import { isSameOrigin } from '../handler/handler-options.ts'
import type { VaultParts } from '../vault/open-secrets.ts'
import { type Opened, openedAddress, secretAddress } from '../vault/opened-values.ts'
import { addressSlot } from '../vault/sealed-values.ts'
import type { WebhookContext } from './webhook-options.ts'

type Target = Pick<WebhookHandler, 'format' | 'url' | 'address'>

/** Stands for what is not shown. */
const hidden = '/…'
/** What the standard signs needs no secret in its address, and an address of a person is none. */
const shownFormats: readonly WebhookFormat[] = ['standard', 'mail']

/** `given`: undefined, or what is shown, for the one that is there. */
export function addressOf(
  given: Address | undefined,
  format: WebhookFormat,
  before: Target | null,
  { app, job }: Pick<WebhookContext, 'app' | 'job'>,
): Target {
  if (before !== null && (given === undefined || given === before.url)) {
    return { format, url: before.url, address: before.address }
  }
  const url = given ?? ''
  if (typeof url !== 'string') return named(url, format)
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
  return { format, url: origin + hidden, address: app.secrets.seal(url, addressSlot(job)) }
}

/** Whoever sets the secret decides where it leads; that a mail goes to it would not be seen. */
function named(url: Exclude<Address, string>, format: WebhookFormat): Target {
  if (format !== 'mail') return { format, url, address: null }
  throw invalid('The address of a mail cannot be a secret.', 'Write mailto:ann@example.com.')
}

/** Whether what was sealed for one may be sent to the other. */
export function isSameHost(one: Target, other: Target): boolean {
  return one.format === 'mail' ? one.url === other.url : isSameOrigin(one.url, other.url)
}

/** The whole of it, for the one who sends. */
export async function openedTarget(
  { url, address }: Target,
  job: string,
  parts: VaultParts,
): Promise<Opened<string>> {
  if (address === null) return await openedAddress(url, parts)
  return secretAddress(parts.secrets.open(address, addressSlot(job)))
}

function invalid(message: string, next: string): EvertickError {
  return new EvertickError('invalid_definition', message, { field: 'url', next })
}
