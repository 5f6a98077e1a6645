/** When a receiver wants to be called again. */
import type { OutboundAnswer } from '../outbound/outbound-call.ts'

const longestWaitMs = 86_400_000

/** Seconds, or a date; never more than a day. Null where it does not say. */
export function retryAfterMs({ headers }: Pick<OutboundAnswer, 'headers'>, now: number): number | null {
  const text = headers['retry-after']?.trim() ?? ''
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isNaN(ms) ? null : Math.min(longestWaitMs, Math.max(0, ms))
}
