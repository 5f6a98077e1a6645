/** The ledger as lines: one per tick, one per run of ticks that share an account. */
import type { ExplainedTickView } from '../../../app/job/explain.ts'
import type { ExecutionView } from '../../../app/views.ts'
import { counted } from '../../output/count-words.ts'
import { markOf, type TickMark } from '../../output/tick-bar.ts'
import { tickSentence } from '../../output/tick-sentence.ts'
import type { Times } from '../../output/times.ts'

export interface LedgerLine {
  readonly when: string
  readonly mark: TickMark
  readonly text: string
  /** Ran on time at the first attempt: many in a row are folded. */
  readonly ordinary: boolean
}

/** If more ordinary lines than this are in a row, only the first and the last two are shown. */
const foldAbove = 8
const keptAtEdge = 2

export function ledgerLines(
  ticks: readonly ExplainedTickView[],
  executions: ReadonlyMap<string, ExecutionView>,
  times: Times,
): LedgerLine[] {
  const groups: ExplainedTickView[][] = []
  for (const tick of ticks) {
    const last = groups.at(-1)
    if (last?.[0] !== undefined && belongTogether(last[0], tick)) last.push(tick)
    else groups.push([tick])
  }
  return groups.flatMap(([first, ...rest]) =>
    first === undefined ? [] : [lineOf(first, rest, executions, times)],
  )
}

/** Ticks of one account share a line if they have no execution of their own, or none any more. */
function belongTogether(a: ExplainedTickView, b: ExplainedTickView): boolean {
  if (b.folded !== true && (b.account === 'fired' || b.account === 'caught_up')) return false
  return (
    a.account === b.account &&
    a.reason === b.reason &&
    a.executionId === b.executionId &&
    a.state === b.state &&
    a.cancelReason === b.cancelReason
  )
}

function lineOf(
  first: ExplainedTickView,
  rest: readonly ExplainedTickView[],
  executions: ReadonlyMap<string, ExecutionView>,
  times: Times,
): LedgerLine {
  const execution = executions.get(first.executionId ?? '')
  const last = rest.at(-1) ?? (first.to === undefined ? undefined : first)
  const count = [first, ...rest].reduce((all, tick) => all + (tick.count ?? 1), 0)
  const ran = first.state === 'completed' && first.account !== 'coalesced'
  const text = tickSentence(first, execution, times)
  return {
    when:
      last === undefined
        ? times.at(first.scheduledFor)
        : times.span(first.scheduledFor, last.to ?? last.scheduledFor),
    mark: ran ? { glyph: '✓', style: markOf(first).style } : markOf(first),
    text: count === 1 ? text : `${text}, ${counted(count, 'tick')}`,
    ordinary:
      ran &&
      first.folded !== true &&
      first.account === 'fired' &&
      (execution?.attempt ?? 1) === 1 &&
      !/ late\b/.test(text),
  }
}

export function folded(lines: readonly LedgerLine[]): LedgerLine[] {
  const shown: LedgerLine[] = []
  for (let from = 0; from < lines.length; ) {
    let to = from
    while (lines[to]?.ordinary === true) to += 1
    const run = lines.slice(from, Math.max(to, from + 1))
    if (run.length <= foldAbove) shown.push(...run)
    else shown.push(...run.slice(0, keptAtEdge), foldedLine(run), ...run.slice(-keptAtEdge))
    from += run.length
  }
  return shown
}

function foldedLine(run: readonly LedgerLine[]): LedgerLine {
  const count = run.length - 2 * keptAtEdge
  return {
    when: '…',
    mark: { glyph: ' ', style: 'dim' },
    text: `${count.toLocaleString('en')} more ran on time`,
    ordinary: true,
  }
}
