/** What a webhook is told: which of the facts, and as which message. */
import type { WebhookHandler } from '../job/handler.ts'
import { isRecord } from '../unknown-value.ts'
import { heardTypes } from './notice.ts'

/** The body of a delivery, as Standard Webhooks 1.0 has it, and the id that all its attempts and resends share. */
export interface Message {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The input of a delivery; null where it is none. */
export function messageFrom(input: unknown): Message | null {
  if (!isRecord(input)) return null
  const { id, type, timestamp, data } = input
  const isText = typeof id === 'string' && typeof type === 'string' && typeof timestamp === 'string'
  return isText && isRecord(data) ? { id, type, timestamp, data } : null
}

/** What of a fact decides who hears of it. */
export interface Told {
  readonly type: string
  /** Null where it is about no job. */
  readonly job: { readonly name: string; readonly tags: readonly string[] } | null
}

/** A result that is longer, as JSON, is left out of a message. */
export const longestResult = 16_384

/** Whoever asks for certain jobs hears of nothing that is about no job. */
export function hears({
  events,
  jobs,
  tags,
}: Pick<WebhookHandler, 'events' | 'jobs' | 'tags'>): (told: Told) => boolean {
  const types = new Set<string>(heardTypes(events))
  const names = jobs.map(namePattern)
  return ({ type, job }) => {
    if (!types.has(type)) return false
    if (names.length > 0 && !names.some((pattern) => job !== null && pattern.test(job.name))) return false
    return tags.length === 0 || (job?.tags.some((tag) => tags.includes(tag)) ?? false)
  }
}

/** Where the dashboard shows it, below the address that its operator gave; nothing where there is none. */
export function linkOf(
  link: string | null,
  { type, data }: Pick<Message, 'type' | 'data'>,
): { readonly url?: string } {
  const { executionId, jobId } = data
  const path =
    typeof executionId === 'string'
      ? `executions/${executionId}`
      : typeof jobId === 'string'
        ? `jobs/${jobId}`
        : type.startsWith('alert.')
          ? 'alerts'
          : null
  return link === null || path === null ? {} : { url: `${link.replace(/\/+$/, '')}/${path}` }
}

/** `*` stands for any text. */
function namePattern(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`, 'us')
}
