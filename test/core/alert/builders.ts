/** Alerts and rules with every field filled in. */
import type { Alert } from '../../../src/core/alert/alert.ts'
import type { RuleOf } from '../../../src/core/alert/alert-rule.ts'

export function failingRule(given: Partial<RuleOf<'failing'>>): RuleOf<'failing'> {
  return {
    name: 'own',
    kind: 'failing',
    enabled: true,
    severity: 'warning',
    jobs: null,
    forMs: 0,
    repeatMs: null,
    quiet: null,
    action: null,
    params: { runs: 3 },
    ...given,
  }
}

/** One that has opened, and waits to be told. */
export function anAlert(given: Partial<Alert>): Alert {
  return {
    id: 'a',
    rule: 'own',
    kind: 'failing',
    severity: 'warning',
    subject: 'job-1',
    jobId: 'job-1',
    name: 'report',
    value: 3,
    sinceAt: 0,
    openedAt: 0,
    resolvedAt: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    snoozedUntil: null,
    snoozedBy: null,
    note: null,
    untold: 'opened',
    untoldAt: 0,
    toldAt: null,
    actedMark: null,
    ...given,
  }
}
