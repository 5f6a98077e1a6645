/** The card "While you were away". */
import type { AwayJob } from '../../../app/reports/away.ts'
import type { Repair } from '../../../core/leader/term.ts'
import { shortReason } from '../../../core/tick/account.ts'
import { counted, listed } from '../../output/count-words.ts'
import { cut, plainText, widthOf } from '../../output/plain-text.ts'
import { type Column, padded, tableLines } from '../../output/table.ts'
import type { Stream } from '../../output/terminal.ts'
import { durationWords, localFormat, localText } from '../../output/times.ts'
import type { Away } from './away.ts'

const shownJobs = 15
const widest = 110

export function writeAwayCard(out: Stream, away: Away, timezone: string): void {
  const format = localFormat(timezone)
  const [fromDay, fromTime] = localText(format, away.from)
  const [toDay, toTime] = localText(format, away.to)
  const span = fromDay === toDay ? `${fromTime} to ${toTime}` : `${fromDay} ${fromTime} to ${toDay} ${toTime}`
  const gap = durationWords(Math.round((away.to.getTime() - away.from.getTime()) / 1_000) * 1_000)
  const lines = [
    `Nothing was scheduled for ${out.paint('strong', gap)} (${span}, ${timezone}).`,
    totals(away.missed),
  ]
  if (away.cutOff > 0) {
    const them = away.cutOff === 1 ? 'was interrupted and is' : 'were interrupted and are'
    lines.push(`${counted(away.cutOff, 'run')} ${them} tried again.`)
  }
  if (away.jobs.length > 0) lines.push('', ...jobLines(out, away.jobs))
  writeCard(out, 'While you were away', lines)
}

function totals({ found, caughtUp, coalesced, skipped }: Repair): string {
  if (found === 0) return 'No tick fell due, so nothing was missed.'
  const parts = [
    [caughtUp, 'caught up'],
    [coalesced, 'coalesced'],
    [skipped, 'skipped'],
  ] as const
  const words = parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count.toLocaleString('en')} ${word}`)
  return `${counted(found, 'tick')} fell due: ${listed(words)}. None was lost.`
}

function jobLines(out: Stream, jobs: readonly AwayJob[]): string[] {
  const right = { align: 'right' } as const
  const columns: readonly Column[] = [
    { title: 'JOB', shrinks: true },
    { title: 'MISSED', ...right },
    { title: 'CAUGHT UP', ...right },
    { title: 'COALESCED', ...right },
    { title: 'SKIPPED', ...right },
    { title: 'WHY', shrinks: true },
  ]
  const rows = jobs
    .toSorted((a, b) => b.missed - a.missed)
    .slice(0, shownJobs)
    .map((job) => [
      cut(plainText(job.job), 40),
      job.missed.toLocaleString('en'),
      figure(out, 'caught_up', job.caughtUp),
      figure(out, 'coalesced', job.coalesced),
      figure(out, 'skipped', job.skipped),
      why(job),
    ])
  const space = Math.min(widest, out.columns) - 4
  const lines = tableLines(columns, rows, space, (title) => out.paint('dim', title))
  if (jobs.length > shownJobs)
    lines.push(`… and ${counted(jobs.length - shownJobs, 'more job', 'more jobs')}`)
  return lines
}

function why({ caughtUp, reasons }: AwayJob): string {
  const runs = caughtUp === 0 ? [] : [`${caughtUp} to run now`]
  return [...runs, ...reasons.map(shortReason)].join('; ')
}

function figure(out: Stream, style: 'caught_up' | 'coalesced' | 'skipped', count: number): string {
  return count === 0 ? out.paint('dim', '–') : out.paint(style, count.toLocaleString('en'))
}

/** A frame around a few lines, with a title in its top edge. */
function writeCard(out: Stream, title: string, lines: readonly string[]): void {
  const width = Math.max(widthOf(title) + 2, ...lines.map(widthOf))
  const edge = (text: string) => out.paint('dim', text)
  out.write(
    `${edge('╭─')} ${out.paint('strong', title)} ${edge(`${'─'.repeat(width - widthOf(title) - 1)}╮`)}`,
  )
  for (const line of lines) out.write(`${edge('│')} ${padded(line, width)} ${edge('│')}`)
  out.write(edge(`╰${'─'.repeat(width + 2)}╯`))
}
