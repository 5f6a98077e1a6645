/** Suggestions for the search of executions. The server knows the language. */
import type { Suggestion } from '../../lists/search-text.ts'

export const executionSuggestions: readonly Suggestion[] = [
  { text: 'job:', means: 'by job name' },
  { text: 'state:running', means: 'running now' },
  { text: 'state:failed', means: 'failed for good' },
  { text: 'state:retrying', means: 'waiting for another attempt' },
  { text: 'state:sleeping', means: 'sleeping between two steps' },
  { text: 'state:waiting', means: 'waiting for a signal' },
  { text: 'state:pending,blocked', means: 'waiting to run' },
  { text: 'cause:schedule', means: 'created by a tick' },
  { text: 'cause:catch_up', means: 'created for a missed tick' },
  { text: 'cause:backfill', means: 'created by a backfill' },
  { text: 'cause:manual', means: 'triggered manually' },
  { text: 'cause:enqueue', means: 'enqueued' },
  { text: 'queue:', means: 'in a queue' },
  { text: 'node:', means: 'by the node that runs or ran it' },
  { text: 'from:', means: 'created since an instant' },
  { text: 'to:', means: 'created before an instant' },
  { text: 'ended:', means: 'ended since an instant' },
]

/** An empty state matches all. */
export const quickFilters = [
  { state: '', label: 'All' },
  { state: 'running', label: 'Running' },
  { state: 'pending,blocked', label: 'Pending' },
  { state: 'retrying', label: 'Retrying' },
  { state: 'sleeping', label: 'Sleeping' },
  { state: 'waiting', label: 'Waiting' },
  { state: 'failed', label: 'Failed' },
  { state: 'completed', label: 'Completed' },
  { state: 'cancelled', label: 'Cancelled' },
] as const

/** The filter with its state replaced. */
export function withState(filter: string, state: string): string {
  const others = filter
    .replaceAll(/(?:^|\s)-?state:\S+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return [others, state === '' ? '' : `state:${state}`].join(' ').trim()
}
