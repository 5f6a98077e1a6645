/** An API's answer, as far as it can be trusted: the entries in it, and what speaks against their being all there are. */
import { EvertickError } from '../../core/error.ts'
import { isRecord } from '../../core/unknown-value.ts'
import { valueAt } from './map-entry.ts'

export interface ScheduleAnswer {
  readonly entries: readonly unknown[]
  /** Why entries that are missing may be missing by mistake, or null. */
  readonly doubt: string | null
}

/** Where APIs put their lists, and how they say that there is more. */
const listKeys = ['schedules', 'items', 'data', 'results'] as const
const moreKeys = ['next', 'nextCursor', 'next_cursor', 'nextPage', 'next_page'] as const

/** So many are read in seconds; more is a mistake, or meant to be one. */
const mostEntries = 100_000

/** `items`: where the list is, if the answer has it elsewhere than most. */
export function readAnswer(answer: unknown, items: string | null = null): ScheduleAnswer {
  const read = items === null ? usualList(answer) : listAt(answer, items)
  if (read.entries.length <= mostEntries) return read
  throw invalidAnswer(`The answer lists ${read.entries.length} schedules; at most ${mostEntries} are read.`)
}

function listAt(answer: unknown, items: string): ScheduleAnswer {
  const entries = valueAt(answer, items)
  if (!Array.isArray(entries)) throw invalidAnswer(`The answer has no list under ${items}.`)
  return { entries, doubt: isRecord(answer) ? doubtOf(answer, entries.length) : null }
}

function usualList(answer: unknown): ScheduleAnswer {
  if (Array.isArray(answer)) return { entries: answer, doubt: null }
  if (!isRecord(answer)) throw invalidAnswer(`The answer is ${kindOf(answer)}, not a list of schedules.`)
  const entries: unknown[] | undefined = listKeys
    .map((name) => answer[name])
    .find((list) => Array.isArray(list))
  if (entries === undefined) {
    throw invalidAnswer(`The answer has no list of schedules under ${listKeys.join(', ')}.`)
  }
  return { entries, doubt: doubtOf(answer, entries.length) }
}

/** The text of an answer; broken or cut off, it is none. */
export function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalidAnswer('The answer is not valid JSON.', cause)
  }
}

function doubtOf(answer: Readonly<Record<string, unknown>>, count: number): string | null {
  const { total } = answer
  if (typeof total === 'number' && total > count) return `the answer holds ${count} of ${total} schedules`
  const more = moreKeys.find(
    (name) => answer[name] !== undefined && answer[name] !== null && answer[name] !== false,
  )
  return more === undefined ? null : `"${more}" in the answer says that there is more`
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : `a ${typeof value}`
}

function invalidAnswer(message: string, cause?: unknown): EvertickError {
  return new EvertickError('invalid_answer', message, {
    next: 'Answer with a JSON array of schedules, or with { "schedules": [ … ] }. Nothing was changed.',
    ...(cause === undefined ? {} : { cause }),
  })
}
