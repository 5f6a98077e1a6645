/** What can be asked of the list of executions; the server knows the language, this only helps to write it. */
import type { Suggestion } from '../../lists/search-text.ts'

export const executionSuggestions: readonly Suggestion[] = [
  { text: 'job:', means: 'of a job, by name' },
  { text: 'state:running', means: 'that run now' },
  { text: 'state:failed', means: 'that have failed for good' },
  { text: 'state:retrying', means: 'that wait for another attempt' },
  { text: 'state:pending,blocked', means: 'that wait' },
  { text: 'cause:schedule', means: 'made by a tick' },
  { text: 'cause:catch_up', means: 'made for a missed tick' },
  { text: 'cause:backfill', means: 'made by a backfill' },
  { text: 'cause:manual', means: 'run by hand' },
  { text: 'cause:enqueue', means: 'enqueued' },
  { text: 'queue:', means: 'of a queue' },
  { text: 'node:', means: 'that a node holds or held' },
  { text: 'from:', means: 'made since an instant' },
  { text: 'to:', means: 'made before an instant' },
  { text: 'ended:', means: 'that ended since an instant' },
]

/** Empty: any. */
export const quickFilters = [
  { state: '', label: 'All' },
  { state: 'running', label: 'Running' },
  { state: 'pending,blocked', label: 'Waiting' },
  { state: 'retrying', label: 'Retrying' },
  { state: 'failed', label: 'Failed' },
  { state: 'completed', label: 'Completed' },
  { state: 'cancelled', label: 'Cancelled' },
] as const

/** The filter with another state, and the rest as it is. */
export function withState(filter: string, state: string): string {
  const others = filter
    .replaceAll(/(?:^|\s)-?state:\S+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return [others, state === '' ? '' : `state:${state}`].join(' ').trim()
}
