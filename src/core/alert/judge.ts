/** What a look makes of all alerts: the turn of each that has one. */
import { type Alert, type AlertFact, type AlertTurn, nextTurn } from './alert.ts'
import type { AlertRule } from './alert-rule.ts'

export interface FoundByRule {
  readonly rule: AlertRule
  readonly facts: readonly AlertFact[]
  /** There are more: what is not among the facts may hold all the same. */
  readonly more: boolean
}

export interface Verdict extends AlertTurn {
  readonly rule: AlertRule | null
  readonly alert: Alert | null
  readonly fact: AlertFact | null
}

export function verdictsOf(
  found: readonly FoundByRule[],
  unresolved: readonly Alert[],
  now: number,
): Verdict[] {
  const verdicts: Verdict[] = []
  const judge = (rule: AlertRule | null, alert: Alert | null, fact: AlertFact | null) => {
    const turn = nextTurn(rule, alert, fact, now)
    if (turn.step !== 'none' || turn.acts) verdicts.push({ ...turn, rule, alert, fact })
  }
  const byRule = Map.groupBy(unresolved, ({ rule }) => rule)
  for (const { rule, facts, more } of found) {
    const own = byRule.get(rule.name) ?? []
    byRule.delete(rule.name)
    // A rule of the same name may have become one of another kind: what the old one found is over.
    const bySubject = new Map(own.map((alert) => [alert.subject, alert]))
    for (const fact of facts) {
      const alert = bySubject.get(fact.subject) ?? null
      bySubject.delete(fact.subject)
      judge(rule, alert, fact)
    }
    if (!more) for (const alert of bySubject.values()) judge(rule, alert, null)
  }
  for (const left of byRule.values()) for (const alert of left) judge(null, alert, null)
  return verdicts
}
