/** The text of a date and time field ("2026-11-17T14:05"), and the instant it means in a zone. */
import { instantOf, localMs } from './days.ts'

export function fieldText(at: string, zone: string): string {
  return new Date(localMs(Date.parse(at), zone)).toISOString().slice(0, 16)
}

/** Null while it is incomplete: a browser returns half a date as an empty text. */
export function fieldInstant(text: string, zone: string): string | null {
  const local = Date.parse(`${text}Z`)
  return Number.isNaN(local) ? null : new Date(instantOf(local, zone)).toISOString()
}
