/** One delivery by mail: what the message says to people, as text and as a page, under an id that stays the same. */
import { EvertickError } from '../../core/error.ts'
import type { Message } from '../../core/notice/message.ts'
import { type MessageWords, messageWords } from '../../core/notice/message-words.ts'
import { escapedMarkup } from '../../core/notice/template.ts'
import { isMailAddress, type Mailed, type MailServer } from '../../outbound/mail.ts'
import { unanswered, type WebhookAnswer, webhookTimeoutMs } from './webhook-call.ts'

export interface MailCall {
  /** `mailto:ann@example.com,ben@example.com` */
  readonly url: string
  readonly message: Message
  readonly server: MailServer | null
  readonly signal: AbortSignal
  readonly now: () => number
}

export const mailScheme = 'mailto:'
const mostAddresses = 20
/** Of a subject: more is cut by whoever shows it. */
const longestSubject = 200

/** Null where it is not a list of addresses: a subject or a copy is not for it to say. */
export function mailAddresses(url: string): string[] | null {
  const addresses = url
    .slice(mailScheme.length)
    .split(',')
    .map((one) => one.trim())
  const isGood =
    url.startsWith(mailScheme) && addresses.length <= mostAddresses && addresses.every(isMailAddress)
  return isGood ? addresses : null
}

export async function callMail({ url, message, server, signal, now }: MailCall): Promise<WebhookAnswer> {
  const begun = now()
  const answer = { askedMs: 0, gone: false }
  try {
    if (server === null) throw noServer()
    const words = messageWords(message)
    const sent = await server.send(
      {
        messageId: message.id,
        to: mailAddresses(url) ?? [],
        subject: words.sentence.slice(0, longestSubject).toWellFormed(),
        text: textOf(words),
        html: pageOf(words),
      },
      { timeoutMs: webhookTimeoutMs, signal },
    )
    return { ...answer, status: sent.status, tookMs: now() - begun, outcome: outcomeOf(sent) }
  } catch (error) {
    return { ...answer, status: null, tookMs: now() - begun, outcome: unanswered(error) }
  }
}

/** Where only some will have it, another try would bring the others a second one: a person is to look. */
function outcomeOf({ status, refused }: Mailed): WebhookAnswer['outcome'] {
  if (refused.length === 0) return { kind: 'done', result: { status } }
  const message = `The mail was accepted, but not for ${refused.join(', ')}.`
  return { kind: 'fail', error: { name: 'Refused', message, code: 'mail_refused' } }
}

function textOf({ sentence, lines, url }: MessageWords): string {
  return [sentence, ...lines.map((line) => `- ${line}`), ...(url === null ? [] : ['', url])]
    .join('\n')
    .toWellFormed()
}

function pageOf({ sentence, lines, url }: MessageWords): string {
  const list = lines.map((line) => `<li>${escapedMarkup(line)}</li>`).join('')
  const link = url === null ? '' : `<p><a href="${escapedMarkup(url)}">Look at it</a></p>`
  return `<p>${escapedMarkup(sentence)}</p>${list === '' ? '' : `<ul>${list}</ul>`}${link}`.toWellFormed()
}

function noServer(): EvertickError {
  return new EvertickError('smtp_missing', 'This node has no SMTP server, so it sends no mail.', {
    next: 'Set EVERTICK_SMTP_URL for every worker, to smtps://user:password@smtp.example.com?from=evertick@example.com.',
  })
}
