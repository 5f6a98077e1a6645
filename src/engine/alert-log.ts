/** What becomes of alerts is in the log and among the events, with any channel or none. */
import type { Alert } from '../core/alert/alert.ts'
import { alertNext, alertSentence } from '../core/alert/alert-words.ts'
import type { PausedByRule } from '../store/store.ts'
import type { EngineContext } from './context.ts'

/** Of so many of one rule there is a line each; of more, one line that names the first. */
const mostLines = 3

type Told = Pick<EngineContext, 'logger' | 'events'>

export function sayOpened({ logger, events }: Told, alerts: readonly Alert[], now: number): void {
  for (const alert of alerts) events.emit('alert:opened', eventOf(alert))
  for (const { rule, lines } of linesOf(alerts, 'opened', now))
    for (const { text, details } of lines) logger.warn(text, { rule, ...details })
}

export function sayResolved({ logger, events }: Told, alerts: readonly Alert[], now: number): void {
  for (const alert of alerts) events.emit('alert:resolved', eventOf(alert))
  for (const { rule, lines } of linesOf(alerts, 'ended', now))
    for (const { text, details } of lines) logger.info(text, { rule, ...details })
}

export function sayPaused({ logger, events }: Told, paused: readonly PausedByRule[]): void {
  for (const { rule, job, reason } of paused) {
    logger.warn(`Paused job ${job} by the rule ${rule}: ${reason}`, { job })
    events.emit('job:paused', { job, reason })
  }
}

function eventOf({ id, rule, kind, name }: Alert) {
  return { alertId: id, rule, kind, subject: name }
}

interface Line {
  readonly text: string
  readonly details: Readonly<Record<string, unknown>>
}

function linesOf(
  alerts: readonly Alert[],
  what: 'opened' | 'ended',
  now: number,
): { readonly rule: string; readonly lines: readonly Line[] }[] {
  return [...Map.groupBy(alerts, ({ rule }) => rule)].map(([rule, own]) => {
    if (own.length > mostLines) {
      const names = own.slice(0, mostLines).map(({ name }) => name)
      const rest = (own.length - mostLines).toLocaleString('en')
      const text = `${own.length.toLocaleString('en')} alerts of the rule ${rule} ${what}: ${names.join(', ')} and ${rest} more`
      return { rule, lines: [{ text, details: {} }] }
    }
    return {
      rule,
      lines: own.map((alert) => ({
        text: `Alert ${what}: ${alertSentence(alert, now)}`,
        details: {
          alertId: alert.id,
          ...(alert.jobId === null ? {} : { job: alert.name }),
          ...(what === 'opened' ? { next: alertNext(alert.kind, alert.name) } : {}),
        },
      })),
    }
  })
}
