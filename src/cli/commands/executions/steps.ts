/** The steps, sleeps and waits of an execution as a timeline: one line each, oldest first. */

import type { StepView } from '../../../app/execution/steps.ts'
import { actorText } from '../../output/actor-text.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, writeTable } from '../../output/table.ts'
import type { Stream, Style } from '../../output/terminal.ts'
import { durationWords, type Times } from '../../output/times.ts'
import { jsonCell } from './json-cell.ts'

const barWidth = 24
/** What works is solid; what rests, having given up its slot, is a line. */
const strokes: Readonly<Record<StepView['kind'], string>> = { step: '█', sleep: '─', wait: '╌' }
const styles: Readonly<Record<StepView['outcome'], Style>> = {
  done: 'ran',
  slept: 'dim',
  signalled: 'ran',
  timed_out: 'late',
  open: 'running',
}

export function writeSteps(out: Stream, steps: readonly StepView[], times: Times, now: number): void {
  const ends = steps.map(({ finishedAt }) => finishedAt?.getTime() ?? now)
  const from = Math.min(...steps.map(({ startedAt }) => startedAt.getTime()))
  const wholeMs = Math.max(1, ...ends.map((end) => end - from))
  const columns: readonly Column[] = [
    { title: 'STEP', shrinks: true },
    'WHAT',
    ...(out.tty
      ? [{ title: `${durationWords(wholeMs)} IN ALL`.padEnd(barWidth), optional: true as const }]
      : []),
    { title: 'OUTCOME', shrinks: true },
    'BEGAN',
    'TOOK',
    { title: 'TRIES', align: 'right' },
    { title: 'RESULT', shrinks: true },
  ]
  const rows = steps.map((step, index) => {
    const { name, kind, outcome, startedAt, finishedAt, tries, result } = step
    const place = (at: number) => Math.floor(((at - from) / wholeMs) * (barWidth - 1))
    const begin = place(startedAt.getTime())
    const bar = strokes[kind].repeat(place(ends[index] ?? now) - begin + 1)
    return [
      plainText(name),
      kind,
      ...(out.tty ? [`${' '.repeat(begin)}${out.paint(styles[outcome], bar)}`] : []),
      outcomeWords(step, times),
      times.at(startedAt),
      finishedAt === null ? '–' : durationWords(finishedAt.getTime() - startedAt.getTime()),
      kind === 'step' ? String(tries) : '',
      jsonCell(result) ?? '',
    ]
  })
  writeTable(out, columns, rows)
}

function outcomeWords({ kind, outcome, until, by }: StepView, times: Times): string {
  if (outcome === 'signalled') return `signalled by ${actorText(by)}`
  if (outcome === 'timed_out') return 'timed out'
  if (outcome !== 'open') return outcome
  if (until === null) return 'waiting'
  return `${kind === 'sleep' ? 'sleeping' : 'waiting'} until ${times.at(until)}`
}
