/** Whether a text is a line with a schedule and a command: a comment that is one was commented out, and names nothing. */
import { parseCron } from '../../core/schedule/cron/cron-expression.ts'
import { parseLine } from './crontab-line.ts'

export function isJobText(text: string): boolean {
  const line = parseLine(text)
  if (line.kind !== 'job' || line.rest === '') return false
  if (/^@reboot$/i.test(line.schedule)) return true
  try {
    parseCron(line.schedule)
    return true
  } catch {
    return false
  }
}
