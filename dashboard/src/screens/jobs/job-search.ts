/** Suggestions for the search of jobs, and the orders of the list. The server knows the language. */
import type { Suggestion } from '../../lists/search-text.ts'

export const searchSuggestions: readonly Suggestion[] = [
  { text: 'state:paused', means: 'paused jobs' },
  { text: 'status:running', means: 'running now' },
  { text: 'health:failing', means: 'failing until a run succeeds' },
  { text: 'health:late', means: 'a due tick has not started' },
  { text: 'health:disabled', means: 'no node can run it' },
  { text: 'last:failed', means: 'the last run failed' },
  { text: 'last:late', means: 'the last run was late' },
  { text: 'last:never', means: 'never ran' },
  { text: 'next:<1h', means: 'due within an hour' },
  { text: 'tag:', means: 'by tag' },
  { text: 'queue:', means: 'in a queue' },
  { text: 'managed:api', means: 'created through the API' },
  { text: 'managed:code', means: 'defined in code' },
  { text: 'zone:', means: 'by time zone' },
  { text: 'handler:', means: 'by handler' },
]

/** The search with a tag added. */
export function withTag(filter: string, tag: string): string {
  const term = /[\s,"]/.test(tag) ? `tag:"${tag.replaceAll('"', '')}"` : `tag:${tag}`
  return filter.split(/\s+/).includes(term) ? filter : `${filter} ${term}`.trim()
}

/** Each sortable column with its first order. */
export const sortFirst = {
  name: 'name',
  status: 'status',
  nextRunAt: 'nextRunAt',
  lastRunAt: '-lastRunAt',
  createdAt: '-createdAt',
} as const
export type SortColumn = keyof typeof sortFirst
export type JobSort = SortColumn | `-${SortColumn}`

export const sortWords: Readonly<Record<SortColumn, string>> = {
  name: 'Name',
  status: 'State',
  nextRunAt: 'Next run',
  lastRunAt: 'Last run',
  createdAt: 'Newest',
}

export const defaultSort = 'name'

/** The order in a URL; the default if it is not a valid order. */
export function sortOf(given: unknown): JobSort {
  const isSort = typeof given === 'string' && Object.hasOwn(sortFirst, given.replace(/^-/, ''))
  return isSort ? (given as JobSort) : defaultSort
}

/** "-lastRunAt" -> "lastRunAt". */
export function columnOf(sort: JobSort): SortColumn {
  return sort.replace(/^-/, '') as SortColumn
}

/** The order after a click on a column: its first order, then the reverse. */
export function sortAfterClick(sort: JobSort, column: SortColumn): JobSort {
  const first = sortFirst[column]
  if (sort !== first) return first
  return first === column ? `-${column}` : column
}
