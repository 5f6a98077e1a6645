/** The pause of a rule is a circuit breaker: it says by whose name it was made, and while it lasts, nothing is tried again. */
import type { Pause } from '../job/job.ts'

export const circuitPrefix = 'alert:'

/** Who pauses, for a rule of this name. */
export function circuitActor(rule: string): string {
  return `${circuitPrefix}${rule}`
}

/** Also the catch-ups and backfills of the job wait then; the pause of a person lets those go on that are made already. */
export function isCircuitOpen(pause: Pick<Pause, 'by'> | null): boolean {
  return pause?.by.startsWith(circuitPrefix) ?? false
}
