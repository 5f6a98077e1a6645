/** The filter of lists of executions, as text, into what the store is asked for. */
import { causes } from '../../core/execution/execution.ts'
import { executionStates } from '../../core/execution/execution-state.ts'
import { parseInstant } from '../../core/schedule/instant.ts'
import type { ExecutionQuery, ExecutionTerm } from '../../store/store.ts'
import { parseSearch, refused, refuseOther } from '../search-terms.ts'

/** The values that a name may have; any text where it is not listed. */
const allowed: { readonly [Name in ExecutionTerm['by']]?: readonly string[] } = {
  state: executionStates,
  cause: causes,
  account: ['fired', 'caught_up', 'none'],
}
const names = ['job', 'state', 'queue', 'cause', 'node', 'account'] as const
const spans = ['from', 'to', 'ended'] as const

type Filter = Pick<ExecutionQuery, 'job' | 'terms' | Span>
type Span = (typeof spans)[number]

/** Plain words are a job's id or name. */
export function executionFilter(text: string): Filter {
  const { terms: given, words } = parseSearch(text, [...names, ...spans])
  const terms: ExecutionTerm[] = []
  const instants: { [name in Span]?: number } = {}
  for (const term of given) {
    const { name, values, negated } = term
    if (name === 'from' || name === 'to' || name === 'ended') {
      if (negated || values.length !== 1) throw refused(`"${name}:" takes one instant.`)
      instants[name] = parseInstant(values[0] ?? '', name)
    } else {
      refuseOther(term, allowed[name])
      terms.push({ by: name, values, negated })
    }
  }
  return { terms, ...instants, ...(words === '' ? {} : { job: words }) }
}
