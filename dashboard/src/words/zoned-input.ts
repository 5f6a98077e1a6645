/** What a field for a date and a time holds ("2026-11-17T14:05"), and the instant that is meant, in a zone. */
import { instantOf, localMs } from './days.ts'

export function fieldText(at: string, zone: string): string {
  return new Date(localMs(Date.parse(at), zone)).toISOString().slice(0, 16)
}

/** Null while it is not written: a browser gives half a date as none. */
export function fieldInstant(text: string, zone: string): string | null {
  const local = Date.parse(`${text}Z`)
  return Number.isNaN(local) ? null : new Date(instantOf(local, zone)).toISOString()
}
