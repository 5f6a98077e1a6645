/**
 * Where a new leader must begin to look for missed tasks, for those who have no cursor but a leader log.
 *
 * The usual rule begins at `last_heartbeat + grace`, and not at all where the previous term handled *its* gap. Both lose
 * tasks: a leader that dies just after a heartbeat fires nothing of the grace period, and what the previous term found
 * when it began says nothing about what was missed when it ended.
 */
import type { LeaderTerm } from './term.ts'

export type LoggedTerm = Pick<LeaderTerm, 'startAt' | 'stopAt' | 'lastHeartbeatAt' | 'handledMissedTasks'>

/**
 * The last instant up to which a leader certainly handled everything: the last that is known of the newest term which
 * had repaired what came before it, less a margin. In the margin lie tasks whose timers were late, or whose enqueueing
 * was under way when the leader died. Null where nobody ever led.
 *
 * `terms` are those before the new one, newest first; it is enough to know them up to the first that handled its gap.
 */
export function safeGapStart(terms: readonly LoggedTerm[], startAt: number, marginMs: number): number | null {
  if (terms.length === 0) return null
  const handled = terms.findIndex((term) => term.handledMissedTasks)
  const open = handled === -1 ? terms : terms.slice(0, handled + 1)
  // The earliest of them: clocks of several hosts need not agree on their order.
  return Math.min(startAt, ...open.map(lastKnown)) - marginMs
}

/** Until when the term's leader is known to have led. */
function lastKnown({ stopAt, lastHeartbeatAt, startAt }: LoggedTerm): number {
  return stopAt ?? lastHeartbeatAt ?? startAt
}
