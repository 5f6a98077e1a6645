/** Which part of the past is looked at. */
import { dayNumber, startOfDay } from '../../../words/days.ts'

export const spanWords = { '1d': '24 hours', '7d': '7 days', '30d': '30 days', custom: 'Other' } as const
export type SpanName = keyof typeof spanWords

const dayMs = 86_400_000
const hourMs = 3_600_000

export interface Span {
  readonly from: string
  readonly to: string
}

/** From the begin of a day on, so that the heatmap has whole rows. */
export function spanOf(
  name: SpanName,
  given: Span | null,
  { at, zone, madeAt }: { at: number; zone: string; madeAt: number },
): Span {
  if (name === 'custom' && given !== null) return given
  const days = { '1d': 1, '7d': 6, '30d': 29, custom: 6 }[name]
  const wanted =
    name === '1d' ? Math.floor((at - dayMs) / hourMs) * hourMs : startOfDay(dayNumber(at, zone) - days, zone)
  // Before there was a job there were no ticks: empty days would only make it look idle.
  const from = Math.min(Math.max(wanted, startOfDay(dayNumber(madeAt, zone), zone)), at)
  return { from: new Date(from).toISOString(), to: new Date(at + 1).toISOString() }
}

export function hourSpan(at: string): Span {
  return { from: at, to: new Date(Date.parse(at) + hourMs).toISOString() }
}
