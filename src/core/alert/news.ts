/** What is told of a rule's alerts: one message for all of them, which names the first. */
import { type Alert, alertState } from './alert.ts'
import { alertNext, alertSentence } from './alert-words.ts'

/** Thin, like every message: names, ids and words. */
export function newsOf(
  first: readonly Alert[],
  count: number,
  now: number,
): Readonly<Record<string, unknown>> {
  const alerts = first.map((alert) => ({
    id: alert.id,
    name: alert.name,
    jobId: alert.jobId,
    state: alertState(alert, now),
    sentence: alertSentence(alert, alert.resolvedAt ?? now),
    next: alertNext(alert.kind, alert.name),
    openedAt: alert.openedAt === null ? null : new Date(alert.openedAt).toISOString(),
    resolvedAt: alert.resolvedAt === null ? null : new Date(alert.resolvedAt).toISOString(),
  }))
  const rest = count - alerts.length
  const said = alerts.map(({ sentence }) => sentence).join(' ')
  const [one] = first
  return {
    rule: one?.rule ?? '',
    kind: one?.kind ?? '',
    severity: one?.severity ?? '',
    count,
    sentence: rest > 0 ? `${said} And ${rest.toLocaleString('en')} more.` : said,
    alerts,
  }
}
