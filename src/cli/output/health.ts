/** The health of a job, in its colour. */
import type { Health, HealthState } from '../../core/job/health.ts'
import { plainText } from './plain-text.ts'
import type { Stream, Style } from './terminal.ts'

export const healthStyles: Readonly<Record<HealthState, Style>> = {
  ok: 'ran',
  late: 'late',
  failing: 'failed',
  disabled: 'failed',
  never_ran: 'dim',
  unknown: 'dim',
}

/** "failing (3)". */
export function healthWord(out: Stream, { state, failures }: Health): string {
  const word = out.tty ? state.replace('_', ' ') : state
  return out.paint(healthStyles[state], out.tty && failures !== undefined ? `${word} (${failures})` : word)
}

export function healthCell(out: Stream, health: Health): string {
  return `${healthWord(out, health)}, ${plainText(health.sentence)}`
}
