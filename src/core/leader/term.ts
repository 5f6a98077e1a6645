/**
 * Terms of leadership: who led when, when a term effectively ended, and the gap before the
 * next. They tell the story; correctness comes from each job's cursor (docs/decisions/0003-cursor-not-gap.md).
 */
export interface LeaderTerm {
  readonly id: number
  readonly leaderInstance: string
  readonly startAt: number
  readonly stopAt: number | null
  readonly lastHeartbeatAt: number | null
  readonly handledMissedTasks: boolean
}

/** What a term found missed when it began, and what it did with it. */
export interface Repair {
  readonly found: number
  readonly caughtUp: number
  readonly coalesced: number
  readonly skipped: number
}

/** "3 caught up, 9 coalesced, 2 skipped". */
export function settledWords({ caughtUp, coalesced, skipped }: Omit<Repair, 'found'>): string {
  return [[caughtUp, 'caught up'] as const, [coalesced, 'coalesced'] as const, [skipped, 'skipped'] as const]
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count.toLocaleString('en')} ${word}`)
    .join(', ')
}

/** "14 missed: 3 caught up, 9 coalesced, 2 skipped". */
export function repairWords(repair: Repair): string {
  if (repair.found === 0) return 'nothing missed'
  const settled = settledWords(repair)
  return `${repair.found.toLocaleString('en')} missed${settled === '' ? '' : `: ${settled}`}`
}

/** Stop time; else last heartbeat plus grace; else start plus grace. */
export function effectiveEnd(term: LeaderTerm, graceMs: number): number {
  if (term.stopAt !== null) return term.stopAt
  return (term.lastHeartbeatAt ?? term.startAt) + graceMs
}

/** The reported gap between a term and the one before it; null where there was none. */
export function gapBefore(
  term: LeaderTerm,
  previous: LeaderTerm | null,
  graceMs: number,
): { readonly from: number; readonly to: number } | null {
  if (previous === null) return null
  const from = previous.stopAt ?? Math.min(effectiveEnd(previous, graceMs), term.startAt)
  return from < term.startAt ? { from, to: term.startAt } : null
}
