/** What can be asked of the list of jobs; the server knows the language, this only helps to write it. */
import type { Suggestion } from '../../lists/search-text.ts'

export const searchSuggestions: readonly Suggestion[] = [
  { text: 'state:paused', means: 'paused jobs' },
  { text: 'status:running', means: 'with an execution that runs now' },
  { text: 'health:failing', means: 'that fail, until a run succeeds' },
  { text: 'health:late', means: 'with a due tick that has not started' },
  { text: 'health:disabled', means: 'that nobody can run' },
  { text: 'last:failed', means: 'whose last run failed' },
  { text: 'last:late', means: 'whose last run was late' },
  { text: 'last:never', means: 'that never ran' },
  { text: 'next:<1h', means: 'due within an hour' },
  { text: 'tag:', means: 'with a tag' },
  { text: 'queue:', means: 'of a queue' },
  { text: 'managed:api', means: 'made over the API' },
  { text: 'managed:code', means: 'defined in code' },
  { text: 'zone:', means: 'in a time zone' },
  { text: 'handler:', means: 'of a handler' },
]

/** The search with this tag, too. */
export function withTag(filter: string, tag: string): string {
  const term = /[\s,"]/.test(tag) ? `tag:"${tag.replaceAll('"', '')}"` : `tag:${tag}`
  return filter.split(/\s+/).includes(term) ? filter : `${filter} ${term}`.trim()
}

/** Each column that sorts, with the way round that is wanted first. */
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

export const usualSort = 'name'

/** What an address asks for; what is no order is the usual one. */
export function sortOf(given: unknown): JobSort {
  const isSort = typeof given === 'string' && Object.hasOwn(sortFirst, given.replace(/^-/, ''))
  return isSort ? (given as JobSort) : usualSort
}

/** "-lastRunAt" -> "lastRunAt". */
export function columnOf(sort: JobSort): SortColumn {
  return sort.replace(/^-/, '') as SortColumn
}

/** What a click on a column asks for: its first way round, then the other. */
export function sortAfterClick(sort: JobSort, column: SortColumn): JobSort {
  const first = sortFirst[column]
  if (sort !== first) return first
  return first === column ? `-${column}` : column
}
