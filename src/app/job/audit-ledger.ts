/** The proof on the live database that every due tick is accounted for exactly once. */
import type { AuditFinding, AuditReport } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'

export interface AuditResult extends Omit<AuditReport, 'findings'> {
  readonly ok: boolean
  readonly findings: readonly (Omit<AuditFinding, 'at' | 'until'> & {
    readonly at: Date
    readonly until: Date
  })[]
}

export interface AuditOptions {
  readonly onProgress?: (done: number, total: number) => void
}

export async function auditLedger(
  { store, clock, measures }: AppContext,
  options: AuditOptions,
): Promise<AuditResult> {
  const report = await store.ticks.auditLedger(options)
  measures.lastAudit = { at: clock.now(), unaccounted: report.unaccounted }
  const findings = report.findings.map((finding) => ({
    ...finding,
    at: new Date(finding.at),
    until: new Date(finding.until),
  }))
  return { ok: report.unaccounted + report.doubled === 0, ...report, findings }
}
