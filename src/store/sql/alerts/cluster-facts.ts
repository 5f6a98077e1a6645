/** What the rules of queues and of the cluster find true. */
import type { AlertFact } from '../../../core/alert/alert.ts'
import type { RuleOf } from '../../../core/alert/alert-rule.ts'
import { gapBefore } from '../../../core/leader/term.ts'
import { listTerms } from '../cluster/leadership.ts'
import { countClaimable } from '../cluster/queues.ts'
import { number, optionalNumber, text } from '../runtime/rows.ts'
import { row, rows, type Script } from '../runtime/script.ts'

/** Terms that are looked at: more within the span of a rule say the same. */
const mostTerms = 20

export function* clusterFacts(
  rule: RuleOf<'leader_gap'> | RuleOf<'cursor_lag'> | RuleOf<'queue_depth'> | RuleOf<'queue_age'>,
  now: number,
): Script<AlertFact[]> {
  switch (rule.kind) {
    case 'leader_gap': {
      const gap = yield* longestGap(rule, now)
      return gap > rule.params.overMs ? [clusterFact(gap)] : []
    }
    case 'cursor_lag': {
      const due = yield* row('SELECT min(next_due_at) AS at FROM @jobs WHERE next_due_at IS NOT NULL')
      const at = optionalNumber(due?.at)
      return at !== null && now - at > rule.params.overMs ? [clusterFact(at)] : []
    }
    case 'queue_depth': {
      const ready = (yield* countClaimable()).filter(
        ({ state }) => state === 'pending' || state === 'retrying',
      )
      const counted = Map.groupBy(ready, ({ queue }) => queue)
      return [...counted]
        .map(([queue, own]) =>
          queueFact(
            queue,
            own.reduce((sum, { count }) => sum + count, 0),
          ),
        )
        .filter(({ value }) => (value ?? 0) > rule.params.executions)
    }
    case 'queue_age': {
      const oldest = yield* rows(
        `SELECT queue, min(ready_at) AS at FROM @live_executions
         WHERE state IN ('pending', 'retrying') GROUP BY queue ORDER BY queue`,
      )
      return oldest
        .filter(({ at }) => now - number(at) > rule.params.overMs)
        .map(({ queue, at }) => queueFact(text(queue), number(at)))
    }
  }
}

function* longestGap({ params }: RuleOf<'leader_gap'>, now: number): Script<number> {
  const terms = yield* listTerms(null, mostTerms)
  const gaps = terms.map((term, index) => {
    const before = terms[index + 1] ?? null
    const gap = gapBefore(term, before, 0)
    const counts = params.after === 'any' || before?.stopAt === null
    return gap !== null && counts && term.startAt >= now - params.withinMs ? gap.to - gap.from : 0
  })
  return Math.max(0, ...gaps)
}

function clusterFact(value: number): AlertFact {
  return { subject: '', jobId: null, name: '', value, mark: '' }
}

function queueFact(queue: string, value: number): AlertFact {
  return { subject: queue, jobId: null, name: queue, value, mark: '' }
}
