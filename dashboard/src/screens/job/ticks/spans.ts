/** The time ranges that the ledger can show. */
import { dayMs } from '../../../../../src/core/schedule/civil-day.ts'
import { dayNumber, hourMs, startOfDay } from '../../../words/days.ts'

export const spanWords = { '1d': '24 hours', '7d': '7 days', '30d': '30 days', custom: 'Custom' } as const
export type SpanName = keyof typeof spanWords

export interface Span {
  readonly from: string
  readonly to: string
}

/** Begins at the start of a day, so that the heatmap has whole rows. */
export function spanOf(
  name: SpanName,
  given: Span | null,
  { at, zone, createdAt }: { at: number; zone: string; createdAt: number },
): Span {
  if (name === 'custom' && given !== null) return given
  const days = { '1d': 1, '7d': 6, '30d': 29, custom: 6 }[name]
  const wanted =
    name === '1d' ? Math.floor((at - dayMs) / hourMs) * hourMs : startOfDay(dayNumber(at, zone) - days, zone)
  // There were no ticks before there was a job: empty days would make it look idle.
  const from = Math.min(Math.max(wanted, startOfDay(dayNumber(createdAt, zone), zone)), at)
  return { from: new Date(from).toISOString(), to: new Date(at + 1).toISOString() }
}

export function hourSpan(at: string): Span {
  return { from: at, to: new Date(Date.parse(at) + hourMs).toISOString() }
}
