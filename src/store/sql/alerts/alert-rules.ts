/** Rules that somebody wrote, each change with its line in the audit log. */
import type { AlertRule } from '../../../core/alert/alert-rule.ts'
import type { ChangeContext, WrittenRule } from '../../store.ts'
import { writeAuditLog } from '../audit/audit-log.ts'
import { json, number, text } from '../runtime/rows.ts'
import { insertRow, row, rows, run, type Script } from '../runtime/script.ts'
import { ruleFrom } from './alert-rows.ts'

export function* listAlertRules(): Script<WrittenRule[]> {
  const written = yield* rows('SELECT * FROM @alert_rules ORDER BY name')
  return written.map((rule) => ({
    rule: ruleFrom(rule),
    changedAt: number(rule.changed_at),
    changedBy: text(rule.changed_by),
  }))
}

const heldText = 'SELECT rule FROM @alert_rules WHERE name = ? FOR UPDATE'

/** Of two who write a new rule at once, the key refuses the second, who looks again. */
export function* putAlertRule(rule: AlertRule, by: ChangeContext): Script<void> {
  const { name } = rule
  const before = yield* row(heldText, name)
  const columns = { rule: JSON.stringify(rule), changed_at: by.now, changed_by: by.actor }
  if (before === null) yield* insertRow('alert_rules', { ...columns, name })
  else
    yield* run(
      'UPDATE @alert_rules SET rule = ?, changed_at = ?, changed_by = ? WHERE name = ?',
      ...Object.values(columns),
      name,
    )
  yield* note('alert_rule.put', name, before === null ? null : json(before.rule), rule, by)
}

export function* deleteAlertRule(name: string, by: ChangeContext): Script<boolean> {
  const before = yield* row(heldText, name)
  if (before === null || (yield* run('DELETE FROM @alert_rules WHERE name = ?', name)) === 0) return false
  yield* note('alert_rule.delete', name, json(before.rule), null, by)
  return true
}

function* note(
  action: string,
  subject: string,
  before: unknown,
  after: unknown,
  { now, actor, origin }: ChangeContext,
): Script<void> {
  yield* writeAuditLog({ at: now, actor, origin, action, subject, before, after })
}
