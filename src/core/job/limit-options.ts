/** The rows of `limits` and `fairBy` in the table of options, fields.ts. */
import type { Option } from './fields.ts'
import { type JobLimitOption, limitForm } from './limit-form.ts'

export const limitsOption = {
  is: 'list',
  of: 'limits',
  max: 10,
  default: [],
  title: 'Limits',
  section: 'where',
  line: 'How many of its executions may run at once or start within a span, by a value of each or together with other jobs.',
  guide: ['limits and keys', 'limits-and-keys.md'],
  flag: '--limit',
  label: 'Limits',
  says: ({ limits }) => (limits.length === 0 ? null : `${limits.map(limitSentence).join('; ')}.`),
} as const satisfies Option

export const fairByOption = {
  is: 'path',
  default: null,
  title: 'Fairness',
  section: 'where',
  line: 'The keys of its queue take turns, so that one with much work does not keep another waiting.',
  guide: ['limits and keys', 'limits-and-keys.md'],
  flag: '--fair-by',
  label: 'Fair by',
  says: ({ fairBy }) => (fairBy === null ? null : `Each ${fairBy} has its turn.`),
} as const satisfies Option

/** "At most 2 at once for each input.customer". */
function limitSentence(limit: JobLimitOption): string {
  if (typeof limit === 'string') return `Shares the limit "${limitForm.text(limit)}"`
  const { by, concurrency, rate } = limit
  const parts = [
    ...(concurrency === undefined ? [] : [`${concurrency.toLocaleString('en')} at once`]),
    ...(rate === undefined ? [] : [`${rate.count.toLocaleString('en')} starts per ${rate.per}`]),
  ]
  return `At most ${parts.join(' and ')}${by === undefined ? '' : ` for each ${by}`}`
}
