/** The filter of lists of executions, as text, into what the store is asked for. */
import { causes } from '../../core/execution/execution.ts'
import { executionStates } from '../../core/execution/execution-state.ts'
import { parseInstant } from '../../core/schedule/instant.ts'
import type { ExecutionQuery, ExecutionTerm } from '../../store/store.ts'
import { parseSearch, refused, refuseOther } from '../search-terms.ts'

/** name -> the values it may have; null for any text. */
const names: Readonly<Record<string, readonly string[] | null>> = {
  job: null,
  state: executionStates,
  queue: null,
  cause: causes,
  node: null,
  account: ['fired', 'caught_up', 'none'],
  from: null,
  to: null,
  ended: null,
}

type Filter = Pick<ExecutionQuery, 'job' | 'terms' | Span>
type Span = (typeof spans)[number]
const spans = ['from', 'to', 'ended'] as const

/** Plain words are a job's id or name. */
export function executionFilter(text: string): Filter {
  const { terms: given, words } = parseSearch(text, Object.keys(names))
  const terms: ExecutionTerm[] = []
  const instants: { [name in Span]?: number } = {}
  for (const term of given) {
    const { name, values, negated } = term
    const allowed = names[name] ?? null
    if (allowed !== null) refuseOther(term, allowed)
    const span = spans.find((known) => known === name)
    if (span === undefined) terms.push({ by: name as ExecutionTerm['by'], values, negated })
    else if (negated || values.length !== 1) throw refused(`"${name}:" takes one instant.`)
    else instants[span] = parseInstant(values[0] ?? '', name)
  }
  return { terms, ...instants, ...(words === '' ? {} : { job: words }) }
}
