/** The filter of lists of jobs, as text, into what the store is asked for. */
import { executionStates } from '../../core/execution/execution-state.ts'
import { healthStates } from '../../core/job/health.ts'
import { jobStates } from '../../core/job/job-state.ts'
import { jobStatuses } from '../../core/job/job-status.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { JobFilter, JobTerm } from '../../store/store.ts'
import { parseSearch, refused, refuseOther, type SearchTerm } from '../search-terms.ts'

const scheduleKinds = ['cron', 'every', 'fixed_delay', 'at', 'none'] as const
/** Of the last execution: its state; `late` where it had to be caught up, `never` where there is none. */
const lastWords = [...executionStates, 'late', 'never']
const names = [
  'state',
  'status',
  'health',
  'tag',
  'queue',
  'managed',
  'zone',
  'handler',
  'schedule',
  'next',
  'last',
  'paused',
] as const
type Name = (typeof names)[number]
/** The values that a name may have; any text where it is not listed. */
const allowed: { readonly [Each in Name]?: readonly string[] } = {
  state: jobStates,
  status: jobStatuses,
  health: healthStates,
  schedule: scheduleKinds,
  last: lastWords,
  paused: ['yes', 'no'],
}

export function jobFilter(text: string, now: number): Pick<JobFilter, 'terms' | 'search'> {
  const { terms, words } = parseSearch(text, names)
  return { terms: terms.map((term) => jobTerm(term, now)), ...(words === '' ? {} : { search: words }) }
}

function jobTerm(term: SearchTerm<Name>, now: number): JobTerm {
  const { name, values, negated } = term
  refuseOther(term, allowed[name])
  if (name === 'next') return nextTerm(term, now)
  if (name !== 'paused') return { by: name, values, negated }
  const [yes, no] = [values.includes('yes'), values.includes('no')]
  return yes && no
    ? { by: 'state', values: jobStates, negated }
    : { by: 'state', values: ['paused'], negated: negated !== no }
}

/** `next:<1h`: within the hour; `next:>1d`: later than that; `next:none`: nothing is planned. */
function nextTerm({ values, negated }: SearchTerm, now: number): JobTerm {
  const [value = '', more] = values
  if (more !== undefined) throw refused('"next:" takes one value.')
  if (value === 'none') return { by: 'next', from: null, to: null, negated: !negated }
  const [, sign, span = ''] = /^([<>])(.+)$/.exec(value) ?? []
  if (sign === undefined)
    throw refused(`"next:" cannot be "${value}".`, 'Write next:<1h, next:>1d or next:none.')
  const at = now + parseDuration(span, 'filter')
  return sign === '<'
    ? { by: 'next', from: null, to: at, negated }
    : { by: 'next', from: at, to: null, negated }
}
