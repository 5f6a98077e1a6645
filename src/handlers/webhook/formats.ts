/** A message as its receiver takes it: what is sent where, for each format that is an HTTP call. */
import type { WebhookFormat, WebhookHandler } from '../../core/job/handler.ts'
import type { Message } from '../../core/notice/message.ts'
import { messageWords } from '../../core/notice/message-words.ts'
import { filled } from '../../core/notice/template.ts'
import { isRecord } from '../../core/unknown-value.ts'
import { signatureHeaders } from './signature.ts'

export interface MessageCall {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface FormatParts {
  readonly format: Exclude<WebhookFormat, 'mail'>
  /** The whole address. */
  readonly url: string
  /** As the user of the webhook gave them, opened. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: WebhookHandler['body']
  /** Each signs. */
  readonly secrets: readonly string[]
  readonly message: Message
  readonly sentAt: number
}

export function messageCall(parts: FormatParts): MessageCall {
  const { format, url, headers, message } = parts
  switch (format) {
    case 'standard': {
      const { id, ...rest } = message
      const body = JSON.stringify(rest)
      const signed = signatureHeaders({ id, body, sentAt: parts.sentAt }, parts.secrets)
      return { url, headers: { ...json, ...headers, ...signed }, body }
    }
    case 'slack':
      return { url, headers: { ...json, ...headers }, body: JSON.stringify({ text: slackText(message) }) }
    case 'template': {
      const type = contentType(headers)
      const body = filled(parts.body ?? '', type, message)
      return { url, headers: { 'content-type': type, ...headers }, body }
    }
    case 'ping':
      return { ...pingOf(url, message), headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } }
  }
}

const json = { 'content-type': 'application/json' }

/** Of the body of a template: as one of its headers says. */
export function contentType(headers: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  return typeof given === 'string' ? given : json['content-type']
}

/** Discord, which takes the same body, refuses more than 2,000 characters. */
const longestText = 1_900

function slackText(message: Message): string {
  const { sentence, lines, url } = messageWords(message)
  const text = [sentence, ...lines.map((line) => `• ${line}`)].join('\n')
  const cut = text.length > longestText ? `${text.slice(0, longestText)}…` : text
  const link = url === null ? '' : `\n<${slackEscaped(url)}|Look at it>`
  return slackEscaped(cut.toWellFormed()) + link
}

/** These three are all that has a meaning there. */
function slackEscaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/**
 * As Healthchecks has it: the address itself says that a run completed, `/fail` that one failed for good, and `/log`, which
 * changes nothing there, is for a test. `rid` tells one run from another.
 */
function pingOf(address: string, { type, data }: Message): Pick<MessageCall, 'url' | 'body'> {
  const url = new URL(address)
  const below = type === 'execution.completed' ? '' : type === 'execution.failed' ? '/fail' : '/log'
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${below}`
  if (typeof data['executionId'] === 'string') url.searchParams.set('rid', data['executionId'])
  if (type === 'execution.completed') return { url: url.href, body: '' }
  const { error } = data
  const said =
    isRecord(error) && typeof error['message'] === 'string' ? error['message'] : 'A test of Evertick.'
  return { url: url.href, body: said }
}
