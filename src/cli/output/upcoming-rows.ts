/** The next runs of a job in order, with the closed times between them. */
import type { ClosedTime } from '../../app/job/closed-time.ts'
import { counted } from './count-words.ts'

export function upcomingRows(
  runs: readonly Date[],
  closed: readonly ClosedTime[],
  text: (at: Date) => string,
): { readonly at: Date; readonly cell: string }[] {
  return [
    ...runs.map((at) => ({ at, cell: text(at) })),
    ...closed.map((time) => ({ at: time.from, cell: `${text(time.from)}  ${closedWords(time, text)}` })),
  ].sort((a, b) => a.at.getTime() - b.at.getTime())
}

function closedWords({ until, ticks, onClosed }: ClosedTime, text: (at: Date) => string): string {
  if (until === null) return 'closed, and no opening is in sight'
  const what = onClosed === 'skip' ? `${counted(ticks, 'tick')} skipped` : `${counted(ticks, 'tick')} put off`
  return `closed until ${text(until)}: ${what}`
}
