/** What the leader looks at: the rules and what they find, the alerts that are not resolved, and what is not told yet. */
import { rulesOver } from '../../../core/alert/alert-rule.ts'
import type { AlertLook, RuleFacts, UntoldAlerts } from '../../store.ts'
import { number, text } from '../runtime/rows.ts'
import { row, rows, type Script } from '../runtime/script.ts'
import { factsOf, mostFacts } from './alert-facts.ts'
import { alertFrom, tidingOf } from './alert-rows.ts'
import { listAlertRules } from './alert-rules.ts'

export function* lookAtAlerts(now: number): Script<AlertLook> {
  const unresolved = yield* rows('SELECT * FROM @alerts WHERE open_key IS NOT NULL ORDER BY id')
  const untold = yield* untoldAlerts()
  const job = yield* row('SELECT id FROM @jobs LIMIT 1')
  // Where there are no jobs there is nothing to be told of.
  const rules = job === null ? [] : rulesOver((yield* listAlertRules()).map(({ rule }) => rule))
  const found: RuleFacts[] = []
  for (const rule of rules) {
    if (!rule.enabled) continue
    const facts = yield* factsOf(rule, now)
    found.push({ rule, facts: facts.slice(0, mostFacts), more: facts.length > mostFacts })
  }
  return { found, unresolved: unresolved.map(alertFrom), untold }
}

function* untoldAlerts(): Script<UntoldAlerts[]> {
  const untold = yield* rows(
    `SELECT rule, untold, min(untold_at) AS oldest_at FROM @alerts WHERE untold IS NOT NULL
     GROUP BY rule, untold ORDER BY rule, untold`,
  )
  return untold.map((waiting) => ({
    rule: text(waiting.rule),
    tiding: tidingOf(waiting.untold),
    oldestAt: number(waiting.oldest_at),
  }))
}
