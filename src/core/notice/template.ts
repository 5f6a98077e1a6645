/**
 * The body that the user of a webhook writes: text with placeholders such as `{{ data.job }}`, and no logic. Whatever a
 * message says is escaped for the type of the body, so that a name with a quote in it cannot become more than a name.
 */
import { EvertickError } from '../error.ts'
import { didYouMean } from '../schedule/did-you-mean.ts'
import { isRecord } from '../unknown-value.ts'
import type { Message } from './message.ts'
import { messageWords } from './message-words.ts'

/** What a placeholder may name. What a message does not have is empty, or null where a value of JSON is due. */
export const messagePaths: readonly string[] = [
  'id',
  'type',
  'timestamp',
  'sentence',
  ...`job jobId tags url webhook executionId cause scheduledFor attempt maxAttempts startedAt finishedAt nextAttemptAt reason
    result resultTooLong error error.name error.message state by until node term rule kind severity count sentence alerts`
    .split(/\s+/)
    .map((name) => `data.${name}`),
]

const placeholder = /\{\{\s*([^{}]*?)\s*\}\}/g

/** `type`: of the body, as its header says. */
export function filled(template: string, type: string, message: Message): string {
  const kind = kindOf(type)
  const isQuoted = kind === 'json' ? quotedParts(template) : () => true
  return template.replaceAll(placeholder, (_whole, path: string, at: number) => {
    const value = valueAt(message, path)
    if (kind === 'json' && !isQuoted(at)) return JSON.stringify(value ?? null)
    return escapes[kind](plain(value))
  })
}

/** Refused where it is written, not where the first message is due. */
export function refuseTemplate(template: string, type: string): void {
  for (const [, path = ''] of template.matchAll(placeholder)) {
    if (messagePaths.includes(path)) continue
    const near = didYouMean(path, messagePaths)
    throw invalid(
      `A message has no "${path.slice(0, 100)}".`,
      near === undefined ? `A placeholder is one of: ${messagePaths.join(', ')}.` : `Did you mean ${near}?`,
    )
  }
  if (kindOf(type) !== 'json') return
  const sample = { id: '', type: '', timestamp: '', data: {} }
  try {
    JSON.parse(filled(template, type, sample))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw invalid(
      `With its placeholders filled in, the body is not JSON: ${why}.`,
      'Correct it, or name another type by the header Content-Type.',
    )
  }
}

type Kind = 'json' | 'form' | 'markup' | 'text'

function kindOf(type: string): Kind {
  if (/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) return 'json'
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return 'form'
  return /(?:html|xml)\b/i.test(type) ? 'markup' : 'text'
}

const escapes: Readonly<Record<Kind, (text: string) => string>> = {
  json: (text) => JSON.stringify(text).slice(1, -1),
  form: encodeURIComponent,
  markup: escapedMarkup,
  text: (text) => text,
}

export function escapedMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

function valueAt(message: Message, path: string): unknown {
  if (path === 'sentence') return messageWords(message).sentence
  return path
    .split('.')
    .reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), message)
}

function plain(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value)
}

/** Whether a place of a JSON text lies within a string of it. */
function quotedParts(text: string): (at: number) => boolean {
  const strings = [...text.matchAll(/"(?:[^"\\]|\\.)*"/gs)].map(({ index, 0: whole }) => [
    index,
    index + whole.length,
  ])
  return (at) => strings.some(([from = 0, to = 0]) => at > from && at < to)
}

function invalid(message: string, next: string): EvertickError {
  return new EvertickError('invalid_definition', message, { field: 'body', next })
}
