/** What a message says to people: one sentence, what else is worth a line, and where to look. */
import { isRecord } from '../unknown-value.ts'
import type { Message } from './message.ts'

export interface MessageWords {
  /** One line, whatever the names in it. */
  readonly sentence: string
  readonly lines: readonly string[]
  readonly url: string | null
}

/** Of the alerts of one message; the others are counted. */
const listed = 5

export function messageWords(message: Message): MessageWords {
  const url = textOf(message.data['url'])
  const isGroup = message.type.startsWith('alert.') && message.data['count'] !== 1
  const said = isGroup ? groupWords(message) : { sentence: sentenceOf(message), lines: linesOf(message) }
  return { sentence: oneLine(said.sentence), lines: said.lines.map(oneLine), url: url === '' ? null : url }
}

function sentenceOf({ type, data }: Message): string {
  const { attempt, maxAttempts } = data
  const job = textOf(data['job'])
  const error = textOf(recordOf(data['error'])['message'])
  const because = (why: string) => (why === '' ? '.' : `: ${why}`)
  const by = data['by'] === undefined ? '' : ` by ${textOf(data['by'])}`
  switch (type) {
    case 'alert.opened':
      return textOf(data['sentence'])
    case 'alert.repeated':
      return `Still: ${textOf(data['sentence'])}`
    case 'alert.resolved':
      return `Over: ${textOf(data['sentence'])}`
    case 'execution.completed':
      return `${job} completed.`
    case 'execution.failed':
      return `${job} failed${because(error)}`
    case 'execution.cancelled':
      return `${job} was cancelled${because(textOf(data['reason']))}`
    case 'execution.retrying':
      return `Attempt ${String(attempt)} of ${String(maxAttempts)} of ${job} failed${because(error)}`
    case 'job.error':
      return `The schedule of ${job} can no longer be computed.`
    case 'job.paused':
      return `${job} was paused${by}${because(textOf(data['reason']))}`
    case 'leader.elected':
      return `${textOf(data['node'])} leads.`
    case 'ping':
      return `This is a test of the webhook ${textOf(data['webhook'])}.`
    default:
      return `${job} was ${type.slice(type.indexOf('.') + 1)}${by}.`
  }
}

/** What to do about an alert; when a run was due. */
function linesOf({ type, data }: Message): string[] {
  if (type.startsWith('alert.')) return type === 'alert.resolved' ? [] : alertsOf(data).map(nextOf)
  const due = textOf(data['scheduledFor'])
  return due === '' ? [] : [`It was due at ${due}.`]
}

const verbs: Readonly<Record<string, string>> = {
  'alert.opened': 'opened',
  'alert.repeated': 'are still open',
  'alert.resolved': 'are over',
}

function groupWords({ type, data }: Message): Pick<MessageWords, 'sentence' | 'lines'> {
  const count = Number(data['count'])
  const shown = alertsOf(data).slice(0, listed)
  const rest = count - shown.length
  const lines = shown.map((alert) => textOf(alert['sentence']))
  return {
    sentence: `${count.toLocaleString('en')} alerts of the rule ${textOf(data['rule'])} ${verbs[type] ?? 'changed'}.`,
    lines: rest > 0 ? [...lines, `And ${rest.toLocaleString('en')} more.`] : lines,
  }
}

function alertsOf(data: Message['data']): Readonly<Record<string, unknown>>[] {
  return Array.isArray(data['alerts']) ? data['alerts'].map(recordOf) : []
}

const nextOf = (alert: Readonly<Record<string, unknown>>) => textOf(alert['next'])

const recordOf = (value: unknown) => (isRecord(value) ? value : {})

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** A name or an error may have line ends; a subject or a list must not. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}
