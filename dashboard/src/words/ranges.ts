/** The time ranges that screens offer: each picks from this list, so that one name means one length everywhere. */
import { dayMs } from '../../../src/core/schedule/civil-day.ts'
import { hourMs, minuteMs } from './days.ts'

export const ranges = {
  '15m': { label: '15 min', ms: 15 * minuteMs },
  '1h': { label: '1 h', ms: hourMs },
  '6h': { label: '6 h', ms: 6 * hourMs },
  '24h': { label: '24 h', ms: 24 * hourMs },
  '7d': { label: '7 days', ms: 7 * dayMs },
  '30d': { label: '30 days', ms: 30 * dayMs },
  '1y': { label: '1 year', ms: 365 * dayMs },
} as const
export type RangeName = keyof typeof ranges

/** For a `Choice`. */
export function rangeOptions<Name extends RangeName>(names: readonly Name[]) {
  return names.map((value) => ({ value, label: ranges[value].label }))
}
